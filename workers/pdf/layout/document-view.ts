/**
 * A listing in the context of the templates: formatted strings, numbers and booleans; null for data that is missing.
 * `branded-design.ts` has the root of the context.
 */
import type { Listing } from '../listing.ts';
import type { Word } from './labels.ts';

/** Decides which facts the pages show. */
export type ListingKind = 'home' | 'off-plan' | 'holiday' | 'commercial' | 'land';

export interface TextView {
  text: string;
  dir: 'ltr' | 'rtl';
  lang: 'en' | 'ar';
}

export interface BadgeView {
  kind: 'sale' | 'rent' | 'off-plan' | 'other';
  /** "For sale", "For rent", "Off-plan"; an unknown purpose unchanged. */
  label: string;
}

export interface PriceView {
  /** "AED", or the dirham sign if a font has it; '' when the price is text. */
  currency: string;
  /** "2,450,000", "Price on application", or the price's text. */
  amount: string;
  /** The currency in languages that put it after the number; ''. */
  currencyAfter: string;
  /** "/ year · 4 cheques"; ''. */
  terms: string;
  /** "AED 1,867 per sq ft"; ''. */
  perSquareFoot: string;
}

export interface FactView {
  /** The listing's field, for `data-fit`. */
  field: keyof Listing;
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
  /** "4", "Studio", "1,312 sq ft · 122 m²" (thin spaces before the units). */
  value: string;
  word: Word;
  /** "Bedrooms", "Size"; two lines on pages in two languages. */
  label: string;
}

/** Exactly one of the three is not null. */
export interface StoryBlock {
  heading: TextView | null;
  paragraph: TextView | null;
  list: { dir: 'ltr' | 'rtl'; items: TextView[] } | null;
}

export interface DetailView {
  /** The listing's field, for `data-fit`. */
  field: keyof Listing;
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

export interface AgentView {
  name: TextView;
  /** "BRN 54821"; ''. */
  licence: string;
  /** One or two letters, shown in place of a photo. */
  initials: string;
  photo: string | null;
  phone: LinkView | null;
  whatsapp: LinkView | null;
  email: LinkView | null;
}

/** One SVG path; `viewBox` includes the quiet zone of four modules. */
export interface QrView {
  viewBox: string;
  path: string;
}

export interface PermitView {
  number: string;
  /** The official record; null when no permit URL is configured. */
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
  /** null for the placeholder. */
  src: string | null;
  widthMm: number;
  heightMm: number;
  alt: string;
}

export interface ListingView {
  /** Position in the request, from 0; `data-listing` of its pages. */
  index: number;
  kind: ListingKind;
  reference: string;
  title: TextView;
  /** From the building to the city, without repeats. */
  place: TextView[];
  /** The same in one line, for alternative texts; ''. */
  placeLine: string;
  badge: BadgeView | null;
  /** "Penthouse"; ''. */
  propertyType: string;
  price: PriceView | null;
  facts: FactView[];
  /** "About this home"; depends on the kind. */
  heading: string;
  story: StoryBlock[];
  hasStory: boolean;
  amenities: AmenityView[];
  hasAmenities: boolean;
  /** Always includes the reference. */
  details: DetailView[];
  agent: AgentView | null;
  permit: PermitView | null;
  permitLabel: string;
  map: MapView | null;
  /** The listing on the brand's website; null when no listing URL is configured. */
  listingUrl: string | null;
  /** Opens the same page and counts a scan; null without `trackLinks`. */
  listingQr: QrView | null;
  photos: PhotoView[];
  /** Number of photos of the listing that are not on the pages. */
  photosMore: number;
  /** Page numbers, from 1; equal when the design has one page per listing. */
  firstPage: number;
  secondPage: number;
}
