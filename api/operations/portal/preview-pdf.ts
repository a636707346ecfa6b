/** One page of one listing as a PNG, for the preview beside the portal's form. */
import { z } from 'zod';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import { DesignName, PageLanguage } from '../../../workers/pdf/contract.ts';
import { Listing } from '../../../workers/pdf/listing.ts';
import previewJob, { PreviewDpi, PreviewPage } from '../../../workers/pdf-preview/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { checkBrand, checkListings, withCrmIds } from './pdf-request.ts';

const PreviewRequest = z
  .object({
    list: z
      .array(Listing)
      .length(1, 'must have exactly 1 listing')
      .describe('The listing, in the same format as for the PDF.'),
    design: DesignName.default('new').describe('`classic` has one page, `new` two.'),
    page: PreviewPage.describe('Page number, from 1.'),
    dpi: PreviewDpi.describe('Pixels per inch: 96 renders A4 as 794 × 1123 pixels, 200 as 1654 × 2339.'),
    language: PageLanguage,
    brand: z.string().max(100).optional(),
  })
  .refine(({ design, page }) => design === 'new' || page === 1, {
    path: ['page'],
    message: 'must be 1: the classic design has one page per listing',
  });

export default defineJobOperation({
  summary: 'One page of one listing as PNG, the same as in the PDF.',
  id: 'portal.previewPdf',
  method: 'POST',
  path: '/apps/portal/v1/pdf/preview',
  scope: 'pdf',
  request: { body: PreviewRequest },
  job: previewJob,
  file: 'image/png',
  prefersFile: true,
  async accept({ body }, { services, request }) {
    const { design, page, dpi, language, brand } = body;
    await checkBrand(brand, services.config);
    const list = withCrmIds(body.list, request.body, services.config.LISTING_CRM_ID_FIELD);
    const input = toJobInput(list);
    return { payload: { design, input: input.sha256, page, dpi, language, brand }, inputs: [input] };
  },
  async validate({ body }, call) {
    await checkBrand(body.brand, call.services.config);
    return await checkListings({ list: body.list, onError: 'placeholder', strict: false }, call);
  },
});
