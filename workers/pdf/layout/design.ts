/** The interface of a design for the photo stage and the printer, and the definition that a design must supply. */
import type { Cover, DesignName, Gallery, PageLanguage, Pages } from '../contract.ts';
import type { Listing } from '../listing.ts';
import type { PermitBrand } from '../vocabulary/permits.ts';
import type { Labels } from './labels.ts';
import type { PhotoShape, PhotoSlot, PlacedPhoto } from './photo-slot.ts';
import type { SheetName } from './sheet.ts';
import type { ListingView, PreparedListing } from './view/listing.ts';

export interface Asset {
  body: Buffer;
  contentType: string;
}

export interface DesignOptions {
  /** Language of the labels. */
  language: PageLanguage;
  /** `true` adds a cover before four or more listings, an addressee or a note before any number. */
  cover: Cover;
  /** Printed on the cover: "2026-11-22". */
  date?: string | undefined;
  /** For a printing house; absent: A4 without bleed. */
  sheet?: SheetName | undefined;
  /** `auto`: one page for a listing that needs no more; absent: the number of pages is that of the design. */
  pages?: Pages | undefined;
  /** `full`: further pages for photos that the design has no place for; absent: none. */
  gallery?: Gallery | undefined;
}

/** The address of a page of the document that is in another part; the finished PDF has a link to the page. */
export const pageAddress = (page: number | ''): string => `https://brochure.invalid/pages/${page}`;

/** The listings from one index up to another, which is not in it. The first part has the cover, too. */
export interface DocumentPart {
  from: number;
  to: number;
}

/** `card`: images for sharing. */
export type LayoutName = DesignName | 'card';

export interface Design {
  readonly name: LayoutName;
  /** For a printing house; undefined: A4 without bleed. */
  readonly sheet: SheetName | undefined;
  /**
   * sha256 of templates, styles, fonts, icons, brand, options and the layout code. Changes whenever the pages of the
   * same listings may change.
   */
  readonly version: string;
  /** Name of the brand. */
  readonly author: string;
  /** `lang` of the document. */
  readonly language: 'en' | 'ar';
  /** Per listing. */
  readonly maxPhotos: number;
  readonly agentSlot: PhotoSlot;
  /** Fonts, by absolute URL under https://brochure.invalid/. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Exact number of pages of a document, or of a part of it. */
  pagesOf(listings: readonly PreparedListing[], part?: DocumentPart): number;
  /** 0 for a document without a cover. */
  coverPagesOf(listings: number): number;
  /** The address of a static map; null without a map provider or a location. */
  mapUrl(listing: Listing): string | null;
  /** The listing on the brand's website; null when the brand has no listing URL. */
  listingUrl(listing: Listing): string | null;
  /** Whether the brand asks for cleaned titles and descriptions. */
  readonly tidy: boolean;
  /** The brand's settings of permits. */
  readonly permitBrand: PermitBrand;
  /** The place of a photo on the cover of so many listings; null without a cover and for a photo that is too small. */
  leadSlot(photo: PhotoShape, listings: number): PhotoSlot | null;
  /** @param photos the fetched photos, best first
   * @param missing number of photos that could not be fetched */
  arrange(photos: readonly PhotoShape[], missing: number, listing: Listing): PlacedPhoto[];
  /**
   * The document: cover pages, then the A4 pages of each listing, of its further photos, and of its floor plans.
   * @param part default: all of it
   */
  html(listings: readonly PreparedListing[], part?: DocumentPart): string;
  /** The same design with other options. */
  with(options: DesignOptions): Design;
}

/** The code of a design; its templates are in `templates/pdf/<name>/`. */
export interface DesignDefinition extends Pick<Design, 'name' | 'maxPhotos' | 'agentSlot'> {
  /** As the design’s own `arrange`; labels in both languages need more space. */
  arrange(
    photos: readonly PhotoShape[],
    missing: number,
    listing: Listing,
    options?: Partial<Pick<DesignOptions, 'language' | 'pages'>>,
  ): PlacedPhoto[];
  /** Number of pages of a listing with these photos, without those of further photos and floor plans. */
  pagesOf(photos: PreparedListing['photos']): number;
  /** Handlebars source of the document; its context is `DocumentView`. */
  source(folder: URL): Promise<string>;
  /** The design's own part of the context, under `page`. */
  page(view: ListingView, labels: Labels): object;
}
