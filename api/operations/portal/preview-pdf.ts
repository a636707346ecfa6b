/** One page of one listing as a picture, in the answer: what the portal shows beside its form. */
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
      .length(1, 'must have exactly 1 listing: a preview is of one')
      .describe('The listing, in the same form as for the PDF.'),
    design: DesignName.default('new').describe('`classic` has one page, `new` two.'),
    page: PreviewPage.describe('Which page of the listing, from 1.'),
    dpi: PreviewDpi.describe(
      'Pixels to an inch on paper: 96 makes A4 794 × 1123 pixels, 200 makes it 1654 × 2339.',
    ),
    language: PageLanguage,
    brand: z.string().max(100).optional(),
  })
  .refine(({ design, page }) => design === 'new' || page === 1, {
    path: ['page'],
    message: 'must be 1: the classic design has one page a listing',
  });

export default defineJobOperation({
  summary: 'A PNG of one page of one listing, as the PDF would have it.',
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
