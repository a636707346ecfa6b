/** The picture of a brochure's first page, or of the first image for sharing. */
import sharp from 'sharp';
import { composeDocument } from '../pdf/compose-document.ts';
import type { MailOrder } from '../pdf/contract.ts';
import { withOfficialPermits } from '../pdf/lint/official-permits.ts';
import type { Listing } from '../pdf/listing.ts';
import type { PdfRuntime } from '../pdf/pdf-runtime.ts';

/** Pixels per inch: A4 is 794 pixels wide, about twice its width in the mail. */
const dpi = 96;
const jpeg = { quality: 82, chromaSubsampling: '4:4:4' } as const;

export async function firstPage(
  { layout, language, brand, cover }: Pick<MailOrder, 'layout' | 'language' | 'brand' | 'cover'>,
  stored: readonly Listing[],
  { chooseDesign, photos, permits, printer }: Pick<PdfRuntime, 'chooseDesign' | 'photos' | 'permits' | 'printer'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Dubai' }).format();
  const design = await chooseDesign({ design: layout, language, brand, cover, date });
  const { listings } = await withOfficialPermits(stored, design.permitBrand, permits, { signal });
  const hasCover = layout !== 'card' && design.pagesOf(listings.length) > listings.length * design.pagesPerListing;
  // A cover shows the first photo of each listing, and its other pages are not drawn.
  const shown = hasCover
    ? {
        ...design,
        maxPhotos: 1,
        arrange: (...given: Parameters<typeof design.arrange>) => design.arrange(...given).slice(0, 1),
      }
    : design;
  const { document } = await composeDocument(
    hasCover ? listings : listings.slice(0, 1),
    shown,
    photos,
    { signal },
    hasCover ? undefined : 1,
  );
  const selector = hasCover ? '.cover-first' : layout === 'card' ? '.share' : '[data-listing]';
  const [png] = await printer.screenshots(document, [{ selector, page: 1, dpi }]);
  return await sharp(png).jpeg(jpeg).toBuffer();
}
