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
  order: Pick<MailOrder, 'layout' | 'language' | 'brand' | 'cover' | 'pages' | 'gallery'>,
  stored: readonly Listing[],
  { chooseDesign, photos, permits, printer }: Pick<PdfRuntime, 'chooseDesign' | 'photos' | 'permits' | 'printer'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Dubai' }).format();
  const { layout, language, brand, cover, pages, gallery } = order;
  const design = await chooseDesign({ design: layout, language, brand, cover, date, pages, gallery });
  const { listings } = await withOfficialPermits(stored, design.permitBrand, permits, { signal });
  const hasCover = layout !== 'card' && design.coverPagesOf(listings.length) > 0;
  // A cover shows the first photo of each listing, and its other pages are not drawn; all photos can determine their number.
  const shown =
    hasCover && pages === 'fixed' && gallery === 'standard'
      ? {
          ...design,
          maxPhotos: 1,
          arrange: (...given: Parameters<typeof design.arrange>) => design.arrange(...given).slice(0, 1),
        }
      : design;
  const { document } = await composeDocument(hasCover ? listings : listings.slice(0, 1), shown, photos, {
    signal,
    page: hasCover ? undefined : 1,
  });
  const selector = hasCover ? '.cover' : layout === 'card' ? '.share' : '[data-listing]';
  const [png] = await printer.screenshots(document, [{ selector, page: 1, dpi }]);
  return await sharp(png).jpeg(jpeg).toBuffer();
}
