/** One page of one listing, or of the cover, as an image, or the mail as HTML, for the preview beside the portal's form. */
import Negotiator from 'negotiator';
import { Cover, DesignName, MailTexts } from '../../../workers/pdf/contract.ts';
import { ListingList } from '../../../workers/pdf/listing.ts';
import previewJob, { PreviewDpi, PreviewPage } from '../../../workers/pdf-preview/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { acceptListings, checkListings, pdfProblems } from './pdf-request.ts';
import { PrintRequest } from './print-request.ts';

const pagesPerListing = { classic: 1, new: 2 } as const;

const PreviewRequest = PrintRequest.pick({ language: true, brand: true })
  .extend({
    list: ListingList.shape.list.describe(
      'The listing, in the same format as for the PDF; with `cover` or `mail`, all listings.',
    ),
    cover: Cover.describe('Shows a page of the cover instead of a page of the listing. As for the PDF.'),
    mail: MailTexts.optional().describe(
      'Answers the mail of `deliver` as HTML (`text/html`) instead of an image, with its pictures inside; nothing is sent. `{}`: without own texts.',
    ),
    design: DesignName.default('new').describe(
      '`classic` has one page, `new` two; every two floor plans are on one more. As without `pages` and `gallery`.',
    ),
    page: PreviewPage.describe('Page number, from 1.'),
    dpi: PreviewDpi.describe('Pixels per inch: 96 renders A4 as 794 × 1123 pixels, 200 as 1654 × 2339.'),
  })
  .refine(({ cover, mail, list }) => mail !== undefined || cover !== false || list.length < 2, {
    path: ['list'],
    message: 'must have exactly 1 listing, or `cover`, or `mail`',
  })
  .refine(({ cover, mail, list }) => mail !== undefined || cover !== true || list.length > 3, {
    path: ['cover'],
    message: 'must be an object with `for` and `note` for a list of three listings or fewer',
  })
  .refine(
    ({ design, page, list, cover }) =>
      cover !== false || page <= pagesPerListing[design] + Math.ceil((list[0]?.floor_plans.length ?? 0) / 2),
    {
      path: ['page'],
      message:
        'is greater than the number of pages: 1 of the classic design, 2 of the new one, and 1 more for every two floor plans',
    },
  );

const files = ['image/png', 'image/jpeg', 'text/html'];

const lenient = { onError: 'placeholder', strict: false } as const;

export default defineJobOperation({
  summary:
    'Print one page of one listing, or of the cover, as PNG, or with `Accept: image/jpeg` as JPEG: the same as in the PDF. Or show the mail.',
  id: 'portal.previewPdf',
  route: 'POST /apps/portal/v1/pdf/preview',
  scope: 'pdf',
  request: { body: PreviewRequest },
  job: previewJob,
  file: files,
  prefersFile: true,
  problems: pdfProblems,
  async accept({ body }, call) {
    const { design, page, dpi, language, brand, cover, mail } = body;
    const { payload, inputs } = await acceptListings({ ...body, ...lenient }, call);
    const format = new Negotiator(call.request).mediaType(files) === 'image/jpeg' ? 'jpeg' : 'png';
    return { payload: { design, page, dpi, format, language, brand, cover, mail, ...payload }, inputs };
  },
  validate: ({ body }, call) => checkListings({ ...body, ...lenient }, call),
});
