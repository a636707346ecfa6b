/** Listing PDFs in two designs, with the same request. */
import { z } from 'zod';
import { toJobInput } from '../../../core/jobs/repository/inputs.ts';
import pdfJob, {
  type DesignName,
  MaxBytes,
  OnError,
  PageLanguage,
  Strict,
  TrackLinks,
} from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { checkBrand, checkListings, checkStrict, withCrmIds } from './pdf-request.ts';

const PdfRequest = z.object({
  ...ListingList.shape,
  onError: OnError.describe(
    'For a photo that is not available: `placeholder` prints a placeholder and adds a warning, `fail` fails the job.',
  ),
  strict: Strict,
  maxBytes: MaxBytes,
  trackLinks: TrackLinks,
  cover: z
    .boolean()
    .default(false)
    .describe('Adds a cover page with contents and page numbers to a list of more than three listings.'),
  language: PageLanguage.describe(
    'Language of labels: `en`, `ar` (right-to-left layout), or `both`. The texts of listings are not translated.',
  ),
  brand: z.string().max(100).optional().describe('Name of the brand. Default: the company’s own.'),
});

const pdfOperation = (design: DesignName, id: string, path: string, summary: string) =>
  defineJobOperation({
    summary,
    id,
    method: 'POST',
    path,
    scope: 'pdf',
    request: { body: PdfRequest },
    job: pdfJob,
    file: 'application/pdf',
    async accept({ body }, { services, request }) {
      await checkBrand(body.brand, services.config);
      checkStrict(body);
      const list = withCrmIds(body.list, request.body, services.config.LISTING_CRM_ID_FIELD);
      const input = toJobInput(list);
      const { onError, maxBytes, trackLinks, cover, language, brand } = body;
      const options = { onError, maxBytes, trackLinks, cover, language, brand };
      return {
        payload: { design, input: input.sha256, listings: list.length, ...options },
        inputs: [input],
      };
    },
    async validate({ body }, call) {
      await checkBrand(body.brand, call.services.config);
      return await checkListings(body, call);
    },
  });

export default [
  pdfOperation(
    'classic',
    'portal.createPdf',
    '/apps/portal/v1/pdf',
    'Listing PDF, classic design: one A4 page per listing.',
  ),
  pdfOperation(
    'new',
    'portal.createNewPdf',
    '/apps/portal/v1/pdf-new',
    'Listing PDF, new design: exactly two A4 pages per listing.',
  ),
];
