/** Files of each listing in one ZIP: brochures, and images for sharing. */
import { z } from 'zod';
import pdfJob, {
  DesignName,
  ListingFiles,
  OnError,
  PageLanguage,
  Quality,
  Strict,
} from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { acceptListings, checkListings, pdfProblems } from './pdf-request.ts';

const FilesRequest = z.object({
  ...ListingList.shape,
  files: ListingFiles.describe('The files to make of each listing.'),
  design: DesignName.default('new').describe('Of the brochures. The images have one design.'),
  onError: OnError.describe(
    'For a photo that is not available: `placeholder` prints a placeholder and adds a warning, `fail` fails the job.',
  ),
  strict: Strict,
  quality: Quality,
  language: PageLanguage.describe('Language of labels: `en`, `ar` (right-to-left layout), or `both`.'),
  brand: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the brand; `GET /brands` lists them. Default: the company’s own.'),
});

export default defineJobOperation({
  summary: 'Files of each listing: brochures as PDF, and images for social networks; together as ZIP, or one by one.',
  id: 'portal.createListingFiles',
  method: 'POST',
  path: '/apps/portal/v1/pdf/files',
  scope: 'pdf',
  request: { body: FilesRequest },
  job: pdfJob,
  file: 'application/zip',
  problems: pdfProblems,
  async accept({ body }, call) {
    const { list, files, design, onError, quality, language, brand } = body;
    const { payload, inputs } = await acceptListings(body, call);
    return { payload: { design, listings: list.length, files, onError, quality, language, brand, ...payload }, inputs };
  },
  validate: ({ body }, call) => checkListings(body, call),
});
