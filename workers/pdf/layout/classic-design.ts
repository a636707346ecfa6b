/** The classic design, a dossier of one page a listing: which photos it shows where, and what its template receives. */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import { heroLinesFor, leastHeroLines } from './classic-room.ts';
import { compileMjml } from './compile-mjml.ts';
import type { DesignDefinition, PhotoShape, PlacedPhoto } from './design.ts';
import type { Labels } from './labels.ts';
import type { DetailView, ListingView, PhotoView, QrView, StoryBlock, TextView } from './listing-view.ts';

/** The hero and a strip of five. */
const maxPhotos = 6;
/** A narrower photo would be printed across the page at under 70 dpi. */
const leastHeroWidthPx = 500;

/** Widths on the 12-column grid: columns of 11.5 mm, gutters of 4 mm. */
const columnsMm = (columns: number) => 15.5 * columns - 4;
/** Heights on the baseline of 4.5 pt. */
const linesMm = (lines: number) => 1.5875 * lines;

interface Size {
  widthMm: number;
  heightMm: number;
}

/** Sizes of slots side by side, of one height. */
const band = (lines: number, ...columns: number[]): Size[] =>
  columns.map(count => ({ widthMm: columnsMm(count), heightMm: linesMm(lines) }));

/** Five equal slots from margin to margin: the one band that cannot keep the columns. */
const fifths = (lines: number): Size[] =>
  new Array<Size>(5).fill({ widthMm: (columnsMm(12) - 4 * 4) / 5, heightMm: linesMm(lines) });

/** Five slots as wide as that, the last one upright. */
const fifthsWithPortrait = (lines: number): Size[] => {
  const heightMm = linesMm(lines);
  const upright = { widthMm: heightMm * 0.72, heightMm };
  const others = (columnsMm(12) - 4 * 4 - upright.widthMm) / 4;
  return [...new Array<Size>(4).fill({ widthMm: others, heightMm }), upright];
};

/** Taller, the photo of eight columns would stand upright. */
const mostBeside = 70;

const heroBesideTwo = (most: number): Size[] => {
  const lines = Math.min(most, mostBeside);
  const stacked = { widthMm: columnsMm(4), heightMm: (linesMm(lines) - 4) / 2 };
  return [...band(lines, 8), stacked, stacked];
};
/** By the number of portraits; four are lower, so that they stay upright and are not cut to stripes. */
const portraitHeroes = [
  () => [],
  (lines: number) => band(lines, 12),
  (lines: number) => band(lines, 6, 6),
  (lines: number) => band(Math.min(lines, 64), 4, 4, 4),
  (lines: number) => band(Math.min(lines, 54), 3, 3, 3, 3),
] as const;

/** Beside the story, where a strip of one would be a letterbox. */
const side = band(26, 5);

/** Strips by the number of photos left for them, then by how many of those are portraits (the last stands for more). */
const strips: readonly (readonly Size[][])[] = [
  [[]],
  [side],
  [band(24, 6, 6)],
  [band(20, 4, 4, 4), band(24, 5, 5, 2), band(28, 6, 3, 3), band(28, 4, 4, 4)],
  [
    band(18, 3, 3, 3, 3),
    band(22, 4, 3, 3, 2),
    band(24, 4, 4, 2, 2),
    band(24, 6, 2, 2, 2),
    band(28, 3, 3, 3, 3),
  ],
  [
    fifths(16),
    fifthsWithPortrait(16),
    band(24, 4, 4, 2, 2),
    band(20, 3, 3, 2, 2, 2),
    band(24, 4, 2, 2, 2, 2),
    fifths(24),
  ],
];

/** A photo waiting for its place; a null index stands for one that could not be had. */
interface Candidate {
  photo: number | null;
  portrait: boolean;
  heroic: boolean;
}

const panel: Candidate = { photo: null, portrait: false, heroic: false };

/**
 * Best first, but a landscape photo goes before a portrait as the hero. However many photos could not be had, at most
 * one panel stands for them, and none where other photos fill the page.
 */
function arrange(photos: readonly PhotoShape[], missing: number, listing: Listing): PlacedPhoto[] {
  const had: Candidate[] = photos.map(({ widthPx, heightPx }, photo) => ({
    photo,
    portrait: heightPx > widthPx,
    heroic: widthPx >= leastHeroWidthPx,
  }));
  const candidates = (missing > 0 ? [...had, panel] : had).slice(0, maxPhotos);
  const heroes = heroesOf(candidates);
  const rest = candidates.filter(candidate => !heroes.photos.includes(candidate)).slice(0, strips.length - 1);
  const strip = stripOf(rest);
  // A strip of one stands beside the story.
  const stripMm = strip.length > 1 ? (strip[0]?.heightMm ?? 0) : 0;
  const sizes = heroes.sizes(heroLinesFor(listing, Math.round(stripMm / linesMm(1))));
  return [...place('hero', sizes, heroes.photos), ...place('strip', strip, rest)];
}

interface Heroes {
  /** By how tall they may be, in lines. */
  sizes(lines: number): readonly Size[];
  photos: readonly Candidate[];
}

/** None when every photo is too small for it: they make a strip, and the title takes the hero's place. */
function heroesOf(candidates: readonly Candidate[]): Heroes {
  const landscape = candidates.find(candidate => candidate.heroic && !candidate.portrait);
  const portraits = candidates.filter(candidate => candidate.heroic && candidate.portrait);
  const [portrait] = portraits;
  if (landscape && portrait && candidates.length <= 3) {
    return { sizes: lines => band(Math.min(lines, mostBeside), 8, 4), photos: [landscape, portrait] };
  }
  if (landscape && candidates.length === 3) {
    return { sizes: heroBesideTwo, photos: [landscape, ...candidates.filter(other => other !== landscape)] };
  }
  if (landscape) return { sizes: lines => band(lines, 12), photos: [landscape] };
  const heroes = portraits.slice(0, portraits.length === 4 && candidates.length === 4 ? 4 : 3);
  if (portrait) return { sizes: portraitHeroes[heroes.length] ?? (() => []), photos: heroes };
  if (candidates[0] === panel) return { sizes: lines => band(lines, 12), photos: [panel] };
  return { sizes: () => [], photos: [] };
}

function stripOf(candidates: readonly Candidate[]): readonly Size[] {
  const choices = strips[candidates.length] ?? [];
  const portraits = candidates.filter(candidate => candidate.portrait).length;
  return choices[Math.min(portraits, choices.length - 1)] ?? [];
}

/** Upright slots take portraits, the others landscapes, each in order; what is left over fills what is left open. */
function place(name: string, sizes: readonly Size[], candidates: readonly Candidate[]): PlacedPhoto[] {
  const waiting = [...candidates];
  return sizes.map((size, position) => {
    const upright = size.heightMm > size.widthMm;
    const fitting = waiting.findIndex(candidate => candidate.portrait === upright);
    const [chosen = panel] = waiting.splice(Math.max(fitting, 0), 1);
    return { slot: { name: `${name}-${position + 1}`, ...size, crop: 'attention' }, photo: chosen.photo };
  });
}

/** The QR code in the footer, and what it opens. */
interface CodeView {
  label: string;
  text: string;
  url: string | null;
  qr: QrView | null;
  /** What the code opens: its words, and where. */
  opens: string;
  opensUrl: string | null;
}

interface ClassicPage {
  /** Class names of what the page lacks: the style sheet closes the gaps. */
  lacks: string;
  /** "For sale · Penthouse · Ready"; ''. */
  kicker: string;
  placeDir: TextView['dir'];
  hero: PhotoView[];
  heroMm: number;
  strip: PhotoView[];
  /** A strip of one stands above the amenities. */
  side: PhotoView[];
  storyDir: TextView['dir'];
  details: DetailView[];
  /** "3 more photographs online"; ''. */
  morePhotos: string;
  hasAside: boolean;
  hasBody: boolean;
  code: CodeView | null;
}

/** Rows whose words the page shows in its header, above its title or among its facts. */
const saidElsewhere = new Set(['reference_number', 'property_type', 'completion_status', 'furnishing_type']);

function pageOf(view: ListingView, labels: Labels): ClassicPage {
  const hero = view.photos.filter(photo => photo.slot.startsWith('hero'));
  const others = view.photos.filter(photo => photo.slot.startsWith('strip'));
  const [strip, side] = others.length === 1 ? [[], others] : [others, []];
  const details = view.details.filter(row => !saidElsewhere.has(row.field));
  const hasAside = side.length > 0 || view.hasAmenities || details.length > 0;
  const lacks = [hero.length === 0 && 'no-hero', !view.hasStory && 'no-story', !hasAside && 'no-aside'];
  return {
    lacks: lacks.filter(Boolean).join(' '),
    kicker: kickerOf(view),
    placeDir: view.place[0]?.dir ?? 'ltr',
    hero,
    heroMm: hero[0]?.heightMm ?? linesMm(leastHeroLines),
    strip,
    side,
    storyDir: directionOf(view.story[0]),
    details,
    morePhotos: morePhotosOf(view, labels),
    hasAside,
    hasBody: hasAside || view.hasStory,
    code: codeOf(view, labels),
  };
}

/** An off-plan home says so in its badge already. */
function kickerOf({ badge, propertyType, details }: ListingView): string {
  const completion = details.find(row => row.field === 'completion_status')?.value.text ?? '';
  const words = [badge?.label ?? '', propertyType, completion];
  return [...new Set(words.filter(Boolean))].join(' · ');
}

function morePhotosOf({ photos, photosMore, listingUrl }: ListingView, labels: Labels): string {
  if (photos.length === 0 || photosMore === 0 || listingUrl === null) return '';
  return `${photosMore} ${labels.plain(photosMore === 1 ? 'oneMoreOnline' : 'moreOnline')}`;
}

/** The permit; without one, or where its number opens no record, the code is the map's. */
function codeOf({ permit, permitLabel, map }: ListingView, labels: Labels): CodeView | null {
  if (permit) {
    const code = { label: permitLabel, text: permit.number, url: permit.url };
    if (permit.qr !== null || map === null) {
      return { ...code, qr: permit.qr, opens: labels.plain('scanForRecord'), opensUrl: permit.url };
    }
    return { ...code, qr: map.qr, opens: labels.plain('scanForMap'), opensUrl: map.url };
  }
  if (map) {
    const opens = labels.plain('scanForMap');
    const label = labels.label('location');
    return { label, text: map.coordinates, url: map.url, qr: map.qr, opens, opensUrl: map.url };
  }
  return null;
}

function directionOf(block: StoryBlock | undefined): TextView['dir'] {
  return (block?.heading ?? block?.paragraph ?? block?.list)?.dir ?? 'ltr';
}

/** Head and body of the document around the compiled page. */
async function source(folder: URL): Promise<string> {
  const content = await compileMjml(await readFile(new URL('page.mjml', folder), 'utf8'));
  return `<!doctype html>
<html lang="{{lang}}" dir="{{dir}}">
<head>
<meta charset="utf-8">
<title>{{title}}</title>
<style>{{{styles}}}</style>
</head>
<body{{#if bilingual}} class="bilingual"{{/if}}>
{{{iconSheet}}}
${content}
</body>
</html>`;
}

export const classicDesign: DesignDefinition = {
  name: 'classic',
  pagesPerListing: 1,
  maxPhotos,
  agentSlot: { name: 'agent', widthMm: linesMm(10), heightMm: linesMm(10), crop: 'centre' },
  arrange,
  source,
  page: pageOf,
};
