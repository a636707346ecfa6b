/** Listing PDFs in two designs, with the same request. */
import { z } from 'zod';
import pdfJob, {
  Cover,
  type DesignName,
  MaxBytes,
  OnError,
  PageLanguage,
  Quality,
  Strict,
  TrackLinks,
} from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { acceptListings, checkListings, pdfProblems } from './pdf-request.ts';

const PdfRequest = z.object({
  ...ListingList.shape,
  onError: OnError.describe(
    'For a photo that is not available: `placeholder` prints a placeholder and adds a warning, `fail` fails the job.',
  ),
  strict: Strict,
  quality: Quality,
  maxBytes: MaxBytes,
  trackLinks: TrackLinks,
  cover: Cover,
  language: PageLanguage.describe(
    'Language of labels: `en`, `ar` (right-to-left layout), or `both`. The texts of listings are not translated.',
  ),
  brand: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the brand; `GET /brands` lists them. Default: the company’s own.'),
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
    problems: pdfProblems,
    async accept({ body }, call) {
      const { list, onError, quality, maxBytes, trackLinks, cover, language, brand } = body;
      const options = { onError, quality, maxBytes, trackLinks, cover, language, brand };
      const { payload, inputs } = await acceptListings(body, call);
      return { payload: { design, listings: list.length, ...options, ...payload }, inputs };
    },
    validate: ({ body }, call) => checkListings(body, call),
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
