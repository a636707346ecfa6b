/** Where the classic design places photos, and how tall they may be beside the words of the page. */
import type { Listing } from '../listing.ts';
import type { DesignOptions } from './design.ts';
import type { StoryBlock } from './document-view.ts';
import { english } from './labels.ts';
import type { PhotoShape, PlacedPhoto } from './photo-slot.ts';
import { detailsOf, factsOf } from './view/facts.ts';
import { coordinatesOf } from './view/links.ts';
import { contentOf } from './view/listing-content.ts';

/** One hero and a strip of five. */
export const maxPhotos = 6;
/** A narrower photo across the page has less than 70 dpi. */
const minHeroWidthPx = 500;

/** Widths on the 12-column grid: columns of 11.5 mm, gutters of 4 mm. */
const columnsMm = (columns: number) => 15.5 * columns - 4;
/** Heights on the baseline of 4.5 pt. */
export const linesMm = (lines: number) => 1.5875 * lines;

/** Heights in lines of the 4.5 pt baseline. */
const pageLines = 187;
/** Header, headline, facts, footer band and the gaps between them. */
const frameLines = 72;
/** The further lines of a page in both languages: the second disclaimer and labels, and the Arabic title. */
const bilingualLines = { labels: 6, title: 6 };
export const textLines = 3;
const headingLines = 5;
const gapLines = 2;

/** Heading and note of the location. */
export const locationFrameLines = 7;
/** The same with the first three rows. */
export const locationLines = 16;
/** The hero gives way to the location down to this height. */
const minHeroLinesWithLocation = 64;

/** Reference and property type. */
const rowsShownElsewhere = 2;

/** A line of the story column holds at least as many characters. */
const charactersPerLine = 68;

/** Steps limit the number of sizes that photos are cropped to. */
const heroSteps = [82, 76, 70, 64, 58] as const;
export const minHeroLines = 58;
/** Beside texts in both languages. */
const bilingualHeroSteps = [...heroSteps, 52, 46, 40] as const;

interface Size {
  widthMm: number;
  heightMm: number;
}

/** Slots side by side, of one height. */
const band = (lines: number, ...columns: number[]): Size[] =>
  columns.map(count => ({ widthMm: columnsMm(count), heightMm: linesMm(lines) }));

/** Five equal slots from margin to margin; they do not follow the columns. */
const fifths = (lines: number): Size[] =>
  new Array<Size>(5).fill({ widthMm: (columnsMm(12) - 4 * 4) / 5, heightMm: linesMm(lines) });

/** The same with a portrait slot at the end. */
const fifthsWithPortrait = (lines: number): Size[] => {
  const heightMm = linesMm(lines);
  const upright = { widthMm: heightMm * 0.72, heightMm };
  const others = (columnsMm(12) - 4 * 4 - upright.widthMm) / 4;
  return [...new Array<Size>(4).fill({ widthMm: others, heightMm }), upright];
};

/** In lines; a taller slot of eight columns is a portrait slot. */
const maxBesideLines = 70;

const heroBesideTwo = (maxLines: number): Size[] => {
  const lines = Math.min(maxLines, maxBesideLines);
  const stacked = { widthMm: columnsMm(4), heightMm: (linesMm(lines) - 4) / 2 };
  return [...band(lines, 8), stacked, stacked];
};

/** By the number of portraits. Three and four are lower, because narrow slots would cut them to stripes. */
const portraitHeroes = [
  () => [],
  (lines: number) => band(lines, 12),
  (lines: number) => band(lines, 6, 6),
  (lines: number) => band(Math.min(lines, 64), 4, 4, 4),
  (lines: number) => band(Math.min(lines, 54), 3, 3, 3, 3),
] as const;

/** A single photo goes beside the story: across the page it would be a letterbox. */
const side = band(26, 5);

/** Strips by number of photos, then by number of portraits; the last one also serves more portraits. */
const strips: readonly (readonly Size[][])[] = [
  [[]],
  [side],
  [band(24, 6, 6)],
  [band(20, 4, 4, 4), band(24, 5, 5, 2), band(28, 6, 3, 3), band(28, 4, 4, 4)],
  [band(18, 3, 3, 3, 3), band(22, 4, 3, 3, 2), band(24, 4, 4, 2, 2), band(24, 6, 2, 2, 2), band(28, 3, 3, 3, 3)],
  [
    fifths(16),
    fifthsWithPortrait(16),
    band(24, 4, 4, 2, 2),
    band(20, 3, 3, 2, 2, 2),
    band(24, 4, 2, 2, 2, 2),
    fifths(24),
  ],
];

/** `photo` is null for a photo that could not be fetched. */
interface Candidate {
  photo: number | null;
  isPortrait: boolean;
  /** Wide enough for a hero slot. */
  isHero: boolean;
}

const placeholder: Candidate = { photo: null, isPortrait: false, isHero: false };

/**
 * Places photos in their order, except that a landscape becomes the hero before a portrait. One placeholder represents
 * all missing photos; there is none when the fetched photos fill the page.
 */
export function arrange(
  photos: readonly PhotoShape[],
  missing: number,
  listing: Listing,
  { language = 'en' }: Partial<Pick<DesignOptions, 'language'>> = {},
): PlacedPhoto[] {
  const fetched: Candidate[] = photos.map(({ widthPx, heightPx }, photo) => ({
    photo,
    isPortrait: heightPx > widthPx,
    isHero: widthPx >= minHeroWidthPx,
  }));
  const candidates = (missing > 0 ? [...fetched, placeholder] : fetched).slice(0, maxPhotos);
  const heroes = heroesOf(candidates);
  const rest = candidates.filter(candidate => !heroes.photos.includes(candidate)).slice(0, strips.length - 1);
  const strip = stripOf(rest);
  const stripLines = strip.length > 1 ? Math.round((strip[0]?.heightMm ?? 0) / linesMm(1)) : 0;
  // A single photo is above the amenities, beside the story.
  const asideLines = strip.length === 1 ? sideLines : 0;
  const sizes = heroes.sizes(heroLinesFor(listing, { stripLines, asideLines }, language === 'both'));
  return [...place('hero', sizes, heroes.photos), ...place('strip', strip, rest)];
}

/** No hero when all photos are too small: the title takes its place. */
function heroesOf(candidates: readonly Candidate[]): {
  /** By the available height in lines. */
  sizes(lines: number): readonly Size[];
  photos: readonly Candidate[];
} {
  const landscape = candidates.find(candidate => candidate.isHero && !candidate.isPortrait);
  const portraits = candidates.filter(candidate => candidate.isHero && candidate.isPortrait);
  const [portrait] = portraits;
  if (landscape && portrait && candidates.length <= 3) {
    return { sizes: lines => band(Math.min(lines, maxBesideLines), 8, 4), photos: [landscape, portrait] };
  }
  if (landscape && candidates.length === 3) {
    return { sizes: heroBesideTwo, photos: [landscape, ...candidates.filter(other => other !== landscape)] };
  }
  if (landscape) return { sizes: lines => band(lines, 12), photos: [landscape] };
  const heroes = portraits.slice(0, candidates.length === 4 ? 4 : 3);
  if (portrait) return { sizes: portraitHeroes[heroes.length] ?? (() => []), photos: heroes };
  if (candidates[0] === placeholder) return { sizes: lines => band(lines, 12), photos: [placeholder] };
  return { sizes: () => [], photos: [] };
}

function stripOf(candidates: readonly Candidate[]): readonly Size[] {
  const choices = strips[candidates.length] ?? [];
  const portraits = candidates.filter(candidate => candidate.isPortrait).length;
  return choices[Math.min(portraits, choices.length - 1)] ?? [];
}

/** Portrait slots take portraits and the others landscapes while there are any, in order. */
function place(name: string, sizes: readonly Size[], candidates: readonly Candidate[]): PlacedPhoto[] {
  const remaining = [...candidates];
  return sizes.map((size, position) => {
    const isUpright = size.heightMm > size.widthMm;
    const fitting = remaining.findIndex(candidate => candidate.isPortrait === isUpright);
    const [chosen = placeholder] = remaining.splice(Math.max(fitting, 0), 1);
    return { slot: { name: `${name}-${position + 1}`, ...size, crop: 'attention' }, photo: chosen.photo };
  });
}

/** @param listing as the page shows it */
const frameOf = (listing: Pick<Listing, 'title_ar'>, isBilingual: boolean): number =>
  frameLines + (isBilingual ? bilingualLines.labels + (listing.title_ar === '' ? 0 : bilingualLines.title) : 0);

/** The height that the words leave for the hero; they are estimated on the safe side. */
function heroLinesFor(
  listing: Listing,
  { stripLines, asideLines: photoLines }: { stripLines: number; asideLines: number },
  isBilingual: boolean,
): number {
  const steps = isBilingual ? bilingualHeroSteps : heroSteps;
  const { story, amenities } = contentOf(listing);
  const details = detailsOf(listing, english, factsOf(listing));
  const rows = Math.ceil(amenities.length / 2) + details.length - rowsShownElsewhere;
  const aside = photoLines + (rows <= 0 ? 0 : headingLines + rows * textLines + gapLines);
  const largest = (asideLines: number) => {
    const body = Math.max(storyLines(story), asideLines);
    const available = pageLines - frameOf(listing, isBilingual) - body - (stripLines === 0 ? 0 : stripLines + gapLines);
    return steps.find(lines => lines <= available) ?? steps.at(-1) ?? minHeroLines;
  };
  const withLocation = coordinatesOf(listing.geopoints) === null ? 0 : largest(aside + locationLines);
  return withLocation >= minHeroLinesWithLocation ? withLocation : largest(aside);
}

/** A single photo beside the story, with the gap below it. */
const sideLines = 28;

/** The lines beside the words of a page that are left for more rows under its details. */
export function spareLinesOf(page: {
  heroMm: number;
  stripMm: number;
  hasSidePhoto: boolean;
  amenities: number;
  details: number;
  /** Absent on a page in one language. */
  bilingual?: { title_ar: string } | undefined;
}): number {
  const rows = Math.ceil(page.amenities / 2) + page.details;
  const aside = (rows === 0 ? 0 : headingLines + rows * textLines + gapLines) + (page.hasSidePhoto ? sideLines : 0);
  const photos = Math.ceil(page.heroMm / linesMm(1)) + (page.stripMm === 0 ? 0 : page.stripMm / linesMm(1) + gapLines);
  const frame = page.bilingual ? frameOf(page.bilingual, true) : frameLines;
  return Math.floor(pageLines - frame - photos - aside);
}

function storyLines(story: readonly StoryBlock[]): number {
  if (story.length === 0) return 0;
  const lines = (text: string) => Math.ceil(text.length / charactersPerLine) * textLines;
  const blocks = story.map(({ heading, paragraph, list }) => {
    if (heading) return textLines;
    if (paragraph) return lines(paragraph.text) + 1;
    // Lists have two columns.
    return (list?.items ?? []).reduce((sum, item) => sum + lines(item.text + item.text), 0) / 2 + 1;
  });
  return headingLines + blocks.reduce((sum, block) => sum + block, 0);
}
