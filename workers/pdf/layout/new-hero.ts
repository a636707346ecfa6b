/** Page one of the new design: which photo opens it, and in which of five ways. */
import type { PhotoShape, PhotoSlot } from './design.ts';

/** 58% of the page, on the 4.5 pt baseline (108 lines of it). */
const heroHeightMm = 171.45;

/** A photo narrower than this is never enlarged to a hero. */
const leastHeroPx = 500;

export type HeroKind = 'full' | 'band' | 'half' | 'pair' | 'panel';

export const heroSlots: Readonly<Record<HeroKind, readonly PhotoSlot[]>> = {
  /** A landscape over the whole width. */
  full: [{ name: 'hero-full', widthMm: 210, heightMm: heroHeightMm, crop: 'attention' }],
  /** A panorama above a dark panel that holds the words. */
  band: [{ name: 'hero-band', widthMm: 210, heightMm: 92.08, crop: 'attention' }],
  /** One portrait beside a dark panel that holds the words. */
  half: [{ name: 'hero-half', widthMm: 120, heightMm: heroHeightMm, crop: 'centre' }],
  /** Two portraits side by side. */
  pair: [
    { name: 'hero-pair-a', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre' },
    { name: 'hero-pair-b', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre' },
  ],
  /** No photo: a dark panel with the brand's mark. */
  panel: [{ name: 'hero-panel', widthMm: 210, heightMm: heroHeightMm, crop: 'attention' }],
};

export interface HeroChoice {
  kind: HeroKind;
  /** Indexes into the shapes, one for each slot of the kind; empty for the panel. */
  photos: readonly number[];
}

/** The first landscape opens the page, the agent's order being the best first; portraits only when there is none. */
export function chooseHero(shapes: readonly PhotoShape[]): HeroChoice {
  const large = [...shapes.keys()].filter(at => (shapes[at]?.widthPx ?? 0) >= leastHeroPx);
  const ratio = (at: number) => (shapes[at]?.widthPx ?? 0) / (shapes[at]?.heightPx ?? 1);
  const landscape =
    large.find(at => ratio(at) >= 1.15 && ratio(at) <= 2.2) ??
    large.find(at => ratio(at) >= 0.95 && ratio(at) <= 2.2);
  if (landscape !== undefined) return { kind: 'full', photos: [landscape] };
  const panorama = large.find(at => ratio(at) > 2.2);
  if (panorama !== undefined) return { kind: 'band', photos: [panorama] };
  const [first, second] = large;
  if (first === undefined) return { kind: 'panel', photos: [] };
  if (second === undefined) return { kind: 'half', photos: [first] };
  return { kind: 'pair', photos: [first, second] };
}

export const heroKindOf = (slotName: string): HeroKind | undefined => {
  const kinds: readonly HeroKind[] = ['full', 'band', 'half', 'pair', 'panel'];
  return kinds.find(kind => heroSlots[kind].some(slot => slot.name === slotName));
};
