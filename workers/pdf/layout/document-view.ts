/**
 * A listing in the context of the templates: formatted strings, numbers and booleans; null for data that is missing.
 * `branded-design.ts` has the root of the context.
 */
import type { Listing } from '../listing.ts';

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

export interface LinkView {
  /** As printed. */
  text: string;
  /** tel:, mailto: or https:. */
  href: string;
}

export interface PhotoView {
  slot: string;
  /** null for the placeholder. */
  src: string | null;
  /** The width of the slot. */
  widthMm: number;
  heightMm: number;
  /** The size of the photo in the middle of the slot: smaller when the photo has too few pixels. */
  printed: { widthMm: number; heightMm: number };
  isSmall: boolean;
  alt: string;
}
