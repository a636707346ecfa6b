/** What the layout promises the photo stage and the printer, and what one design has to bring. */
import type { PageLanguage } from '../contract.ts';
import type { Listing } from '../listing.ts';
import type { Labels } from './labels.ts';
import type { ListingView } from './listing-view.ts';

export type DesignName = 'classic' | 'new';

/** One place for a photo on the paper. */
export interface PhotoSlot {
  name: string;
  widthMm: number;
  heightMm: number;
  /** Which part of a photo of another shape is kept: that with the most to see, or the middle. */
  crop: 'attention' | 'centre';
}

/** A photo that could be had: pixels after EXIF rotation. */
export interface PhotoShape {
  widthPx: number;
  heightPx: number;
}

/** A slot and the photo in it: an index into the photos given to `arrange`, or null for the designed placeholder. */
export interface PlacedPhoto {
  slot: PhotoSlot;
  photo: number | null;
}

export interface Asset {
  body: Buffer;
  contentType: string;
}

export interface PreparedListing {
  listing: Listing;
  /** In the order `arrange` gave them; `src` is an absolute URL under https://brochure.invalid/, null for the placeholder. */
  photos: { slot: PhotoSlot; src: string | null }[];
  /** The same kind of URL, null for initials. */
  agentPhoto: string | null;
  /** The short link that the listing’s own address is printed as, when its clicks are counted. */
  trackedUrl?: string | undefined;
}

/** What a request chooses besides the design: they change the pages, so the version as well. */
export interface DesignOptions {
  /** Of the page's own words. */
  language: PageLanguage;
  /** A page with contents before the listings, where there are more than three. */
  cover: boolean;
}

export interface Design {
  readonly name: DesignName;
  readonly pagesPerListing: 1 | 2;
  /**
   * sha256 over templates, styles, fonts, icons, brand, options and the layout's code: changes whenever the look may
   * change.
   */
  readonly version: string;
  /** The house that signs the document. */
  readonly author: string;
  /** What the document's `lang` says. */
  readonly language: 'en' | 'ar';
  /** The most photos of a listing ever printed. */
  readonly maxPhotos: number;
  readonly agentSlot: PhotoSlot;
  /** Fonts by absolute URL under https://brochure.invalid/. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** How many pages a document of so many listings has, the cover's among them: the page contract. */
  pagesOf(listings: number): number;
  /** Where the listing is shown on the house's own site; null when it has none. */
  listingUrl(listing: Listing): string | null;
  /** The composition for the photos that could be had, best first; `missing` more could not be had. */
  arrange(photos: readonly PhotoShape[], missing: number, listing: Listing): PlacedPhoto[];
  /** The whole document: the cover's pages, then every listing exactly `pagesPerListing` A4 pages. */
  html(listings: readonly PreparedListing[]): string;
  /** The same design for a request that chooses otherwise. */
  with(options: DesignOptions): Design;
}

/** What a design's own code adds to its folder `templates/pdf/<name>/`: `load-designs.ts` makes a `Design` of both. */
export interface DesignDefinition
  extends Pick<Design, 'name' | 'pagesPerListing' | 'maxPhotos' | 'agentSlot' | 'arrange'> {
  /** Handlebars source of the whole document; see `DocumentView` for what it receives. */
  source(folder: URL): Promise<string>;
  /** What the page shows beyond the view every design shares; the template finds it under `page`. */
  page(view: ListingView, labels: Labels): object;
}
