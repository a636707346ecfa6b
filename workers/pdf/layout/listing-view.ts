/** What a template receives of a listing: ready strings and booleans only, null for what leaves no trace. */

import type { Labels, Word } from './labels.ts';
import type { ListingKind } from './view/listing-kind.ts';

/** A run of text and how it is set: `lang` is "ar" for Arabic, else the page's English. */
export interface TextView {
  text: string;
  dir: 'ltr' | 'rtl';
  lang: 'en' | 'ar';
}

export interface BadgeView {
  kind: 'sale' | 'rent' | 'off-plan' | 'other';
  /** For sale, For rent, Off-plan; an unknown purpose as it stands. */
  label: string;
}

export interface PriceView {
  /** "AED", the dirham's sign where the price's face has it, or '' when the price is text. */
  currency: string;
  /** "2,450,000", "Price on application", or a price that is no number as it stands. */
  amount: string;
  /** The currency where the language says it after the number, or ''. */
  currencyAfter: string;
  /** "/ year · 4 cheques", or ''. */
  terms: string;
  /** "AED 1,867 per sq ft", or ''. */
  perSquareFoot: string;
}

export interface FactView {
  /** The listing's field it comes from, for `data-fit`. */
  field: string;
  kind:
    | 'bedrooms'
    | 'bathrooms'
    | 'size'
    | 'parking'
    | 'furnishing'
    | 'handover'
    | 'payment-plan'
    | 'guests'
    | 'minimum-stay'
    | 'fit-out'
    | 'zoning'
    | 'permitted-height'
    | 'ownership';
  /** Name of the icon: `{{icon icon @root.brand.accent}}`. */
  icon: string;
  /** "4", "Studio", "1,312 sq ft · 122 m²" (thin space before the unit). */
  value: string;
  word: Word;
  /** "Bedrooms", "Size" …; one form for one and many where English has it; two lines where there are two languages. */
  label: string;
}

/** Exactly one of the three is there. */
export interface StoryBlock {
  heading: TextView | null;
  paragraph: TextView | null;
  list: { dir: 'ltr' | 'rtl'; items: TextView[] } | null;
}

export interface DetailView {
  /** The listing's field it comes from, for `data-fit`. */
  field: string;
  label: string;
  value: TextView;
}

interface AmenityView extends TextView {
  /** Name of the icon: `{{icon icon @root.brand.accent}}`. */
  icon: string;
}

export interface LinkView {
  /** As printed. */
  text: string;
  /** tel:, mailto: or https:. */
  href: string;
}

/** Who to ask: the listing's agent, or the brokerage's desk when the listing has none. */
export interface AgentView {
  name: TextView;
  /** "BRN 54821", or '' . */
  licence: string;
  /** One or two letters for the round that stands for a photo. */
  initials: string;
  photo: string | null;
  phone: LinkView | null;
  whatsapp: LinkView | null;
  email: LinkView | null;
}

/** A QR code as one SVG path, its quiet zone of four modules included in `viewBox`. */
export interface QrView {
  viewBox: string;
  path: string;
}

export interface PermitView {
  number: string;
  /** Where the official record opens; null when no permit URL is configured. */
  url: string | null;
  qr: QrView | null;
}

export interface MapView {
  url: string;
  /** "25.06300, 55.14100". */
  coordinates: string;
  qr: QrView;
}

export interface PhotoView {
  slot: string;
  /** null: the designed placeholder. */
  src: string | null;
  widthMm: number;
  heightMm: number;
  alt: string;
}

export interface ListingView {
  /** Position in the request, from 0: the `data-listing` of its pages. */
  index: number;
  kind: ListingKind;
  reference: string;
  title: TextView;
  /** From the building to the city, without repeats; empty when nothing is known. */
  place: TextView[];
  /** The same as one line of text, for alternative texts; ''. */
  placeLine: string;
  badge: BadgeView | null;
  /** "Penthouse"; ''. */
  propertyType: string;
  price: PriceView | null;
  facts: FactView[];
  /** "About this home", by the kind of property. */
  heading: string;
  story: StoryBlock[];
  hasStory: boolean;
  amenities: AmenityView[];
  hasAmenities: boolean;
  /** The reference is always one of them. */
  details: DetailView[];
  agent: AgentView | null;
  permit: PermitView | null;
  permitLabel: string;
  map: MapView | null;
  /** The listing on the brokerage's site; null when no listing URL is configured. */
  listingUrl: string | null;
  /** Opens the same, counted as a scan; null unless the request has its clicks counted. */
  listingQr: QrView | null;
  photos: PhotoView[];
  /** Photos sent with the listing that are not on the pages. */
  photosMore: number;
  /** Number of its first page, from 1, and its second where the design has one. */
  firstPage: number;
  secondPage: number;
}

export interface BrandView {
  name: string;
  /** The brand file's colour for labels and icons: "#8A5A2B". */
  accent: string;
  tagline: string;
  /** SVG markup of the mark, drawn with currentColor: `{{{brand.mark}}}`. */
  mark: string;
  /** The same in a colour of its own, which costs next to nothing in a PDF (print/take-drawings.ts). */
  whiteMark: string;
  inkMark: string;
  accentMark: string;
  phone: LinkView;
  email: LinkView;
  website: LinkView;
  address: string;
  /** "Meridian & Palm Real Estate L.L.C · ORN 00000". */
  licence: string;
  disclaimer: string;
}

/** A row of the cover's contents. */
export interface ContentsView {
  /** Of the listing's first page: "#listing-3". */
  href: string;
  title: TextView;
  place: TextView[];
  price: PriceView | null;
  /** "4", "Studio" …: the first facts of the row. */
  facts: FactView[];
  /** Its first photo, small; null for none. */
  photo: { src: string; widthMm: number; heightMm: number } | null;
  page: number;
}

/** One page of contents; the first is the cover. */
interface CoverPageView {
  isCover: boolean;
  number: number;
  rows: ContentsView[];
}

export interface CoverView {
  /** "6 homes in Dubai". */
  title: string;
  /** "Palm Jumeirah, Dubai Marina, Al Barari"; ''. */
  places: string;
  pages: CoverPageView[];
}

/** The template's whole context. */
export interface DocumentView {
  title: string;
  lang: 'en' | 'ar';
  dir: 'ltr' | 'rtl';
  /** The brochures' own words, by name. */
  labels: Labels['all'];
  /** Whether the labels are in two languages and need more room. */
  bilingual: boolean;
  /** Fonts, brand colours as custom properties (--ink, --accent, --tint) and the design's styles.css. */
  styles: string;
  /** The icons, drawn once: `{{icon "phone" @root.brand.accent}}` refers to one. */
  iconSheet: string;
  brand: BrandView;
  /** Pages of the whole document. */
  pages: number;
  /** null: without. */
  cover: CoverView | null;
  listings: (ListingView & { page: object })[];
}
