import { z } from 'zod';
import { prepareImage } from '../../../core/domain/property-projects/prepare-image.ts';
import propertyProjects from '../../../core/integrations/property-projects/system.ts';
import { defineOperation } from '../../http/operation.ts';
import { FileForm } from '../../plugins/multipart.ts';

const UploadedImage = z
  .object({
    url: z.url().describe('URL in the property-project system.'),
    contentType: z.enum(['image/jpeg', 'image/png']).describe('Type of the image as it was sent.'),
    bytes: z.int().min(1).describe('Its size.'),
    width: z.int().min(1).describe('In pixels.'),
    height: z.int().min(1).describe('In pixels.'),
  })
  .meta({
    id: 'UploadedImage',
    examples: [
      {
        url: 'https://projects.example.com/images/1f0c9b',
        contentType: 'image/jpeg',
        bytes: 412_887,
        width: 2_048,
        height: 1_365,
      },
    ],
  });

export default defineOperation({
  summary:
    'Upload an image of up to 10 MB and 50 megapixels to the property-project system. The service checks its content, ' +
    'rotates it upright, removes metadata, reduces its size if needed, and sends JPEG, or PNG if it is transparent.',
  id: 'propertyProjects.uploadImage',
  route: 'POST /apps/property-projects/v1/images',
  scope: 'projects:write',
  style: 'file',
  idempotent: true,
  request: { body: FileForm },
  answers: { 201: { description: 'The image as it was sent.', schema: UploadedImage, headers: ['Location'] } },
  calls: [propertyProjects],
  async handle({ body }, { services }) {
    const projects = propertyProjects.client(services.systems);
    const image = await prepareImage(body.file.bytes, projects.config.PROPERTY_PROJECTS_IMAGE_MAX_MB * 1_000_000);
    const url = await projects.uploadImage(image);
    return {
      status: 201,
      headers: { location: url },
      body: {
        url,
        contentType: image.contentType,
        bytes: image.bytes.length,
        width: image.widthPx,
        height: image.heightPx,
      },
    };
  },
});
