/**
 * The new design: two pages per listing. Page one has a hero photo, price, facts and the first content; page two the
 * gallery and the rest.
 */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import type { DesignDefinition } from './design.ts';
import type { DetailView, PhotoView, StoryBlock } from './document-view.ts';
import { english, labelsOf } from './labels.ts';
import { chooseGallery, type Gallery, galleryOfSlot, maxGalleryPhotos } from './new-gallery.ts';
import { type PhotoShape, type PhotoSlot, type PlacedPhoto, slotWithin } from './photo-slot.ts';
import { bleedMm } from './sheet.ts';
import { detailsOf, factsOf } from './view/facts.ts';
import { coordinatesOf } from './view/links.ts';
import type { ListingView } from './view/listing.ts';
import { contentOf } from './view/listing-content.ts';
import { locationRowsOf } from './view/location.ts';
import { directionOfStory } from './view/story.ts';

/** 58% of the page, on the 4.5 pt baseline (108 lines of it). */
const heroHeightMm = 171.45;

/** Narrower photos are never heroes. */
const minHeroWidthPx = 500;

type HeroKind = 'full' | 'band' | 'half' | 'pair' | 'panel';

const heroSlots: Readonly<Record<HeroKind, readonly PhotoSlot[]>> = {
  /** A landscape photo across the page. */
  full: [
    { name: 'hero-full', widthMm: 210, heightMm: heroHeightMm, crop: 'attention', edges: edgesOf('start', 'end') },
  ],
  /** A panorama above a dark panel with the headline. */
  band: [{ name: 'hero-band', widthMm: 210, heightMm: 92.08, crop: 'attention', edges: edgesOf('start', 'end') }],
  /** One portrait beside a dark panel with the headline. */
  half: [{ name: 'hero-half', widthMm: 120, heightMm: heroHeightMm, crop: 'centre', edges: edgesOf('end') }],
  /** Two portraits side by side. */
  pair: [
    { name: 'hero-pair-a', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre', edges: edgesOf('start') },
    { name: 'hero-pair-b', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre', edges: edgesOf('end') },
  ],
  /** No photo: a dark panel with the logo. */
  panel: [{ name: 'hero-panel', widthMm: 210, heightMm: heroHeightMm, crop: 'attention' }],
};

/** All openings begin at the upper edge of the page. */
function edgesOf(...sides: readonly ('start' | 'end')[]) {
  return { start: sides.includes('start'), end: sides.includes('end'), top: true };
}

/** Assumed for placeholders. */
const defaultShape: PhotoShape = { widthPx: 1920, heightPx: 1280 };

export const newDesign: DesignDefinition = {
  name: 'new',
  pagesPerListing: 2,
  maxPhotos: 1 + maxGalleryPhotos,
  agentSlot: { name: 'agent', widthMm: 22, heightMm: 22, crop: 'centre' },
  arrange,
  source: folder => readFile(new URL('page.hbs', folder), 'utf8'),
  page: pageOf,
};

/**
 * Without a gallery, page two starts with a masthead in the brand's colour, whose height depends on the words below; it is
 * only as tall as the hero when there are none.
 */
const mastheadMm = { min: 61.91, max: 120.65, withoutWords: heroHeightMm };
const baselineMm = 1.5875;

/** From the top edge of the page to the closing band, without the space below the gallery. */
const pageTwoMm = 224;

/** 9.2 pt text on 13.5 pt lines, and the spacing in the style sheet. */
const lineMm = 4.7625;
const rowMm = 6.53;
const headingMm = 7.95;
const gapMm = 7.95;
const paragraphGapLines = 0.5;
/** The agent, or the brand, below the words with the gap above them. */
const contactMm = 36.3;
/** Rows with large values are taller by this share. */
const roomyShare = 0.75;

/** The heading and a map, or the rows in its place, each of one line. */
const minLocationMm = 48;
/** A line of the location holds a label and a value of at least as many characters. */
const charactersPerLocationRow = 38;
/** The gallery gives way to the location down to this height. */
const minHeadMm = 96;

/** Lines of the story on page one. */
const linesOnPageOne = 11;
/** A line of the story column holds at least as many characters. */
const charactersPerLine = 64;

/** One placeholder represents all missing photos. */
function arrange(photos: readonly PhotoShape[], missing: number, listing: Listing): PlacedPhoto[] {
  const hero = chooseHero(photos);
  const opening = heroSlots[hero.kind].map((slot, at) => ({ slot, photo: hero.photos[at] ?? null }));
  const rest = [...photos.keys()].filter(at => !hero.photos.includes(at)).slice(0, maxGalleryPhotos);
  const hasPlaceholder = missing > 0 && rest.length > 0 && rest.length < maxGalleryPhotos;
  const shapes = rest.map(at => photos[at] ?? defaultShape);
  const choice = chooseGallery(hasPlaceholder ? [...shapes, defaultShape] : shapes, galleryBudgetMm(listing));
  if (choice === null) return opening;
  const gallery = choice.gallery.places.map(({ slot }, at) => ({
    slot,
    photo: rest[choice.photos[at] ?? -1] ?? null,
  }));
  return [...opening, ...gallery];
}

/**
 * The first landscape opens the page; else the first panorama; else one or two portraits.
 * @returns `photos` as indexes into the shapes, one per slot of the kind
 */
function chooseHero(shapes: readonly PhotoShape[]): { kind: HeroKind; photos: readonly number[] } {
  const large = [...shapes.keys()].filter(at => (shapes[at]?.widthPx ?? 0) >= minHeroWidthPx);
  const ratio = (at: number) => (shapes[at]?.widthPx ?? 0) / (shapes[at]?.heightPx ?? 1);
  /** Whether the photo has the pixels for the page's width. */
  const fills = (at: number) =>
    heroSlots.full.every(slot => slotWithin(slot, shapes[at] ?? defaultShape, 'new') === slot);
  const full = large.filter(fills);
  const landscape =
    full.find(at => ratio(at) >= 1.15 && ratio(at) <= 2.2) ?? full.find(at => ratio(at) >= 0.95 && ratio(at) <= 2.2);
  if (landscape !== undefined) return { kind: 'full', photos: [landscape] };
  const panorama = large.find(at => ratio(at) > 2.2) ?? large.find(at => ratio(at) >= 0.95);
  if (panorama !== undefined) return { kind: 'band', photos: [panorama] };
  const [first, second] = large;
  if (first === undefined) return { kind: 'panel', photos: [] };
  if (second === undefined) return { kind: 'half', photos: [first] };
  return { kind: 'pair', photos: [first, second] };
}

const heroKinds: readonly HeroKind[] = ['full', 'band', 'half', 'pair', 'panel'];
const heroKindOf = (slotName: string) => heroKinds.find(kind => heroSlots[kind].some(slot => slot.name === slotName));

/** The content below the facts of page one. */
function leadOf(story: readonly StoryBlock[], amenities: number) {
  if (story.length > 0) return 'story';
  return amenities > 0 ? 'amenities' : 'details';
}

function pageOf(view: ListingView) {
  const hero = heroKindOf(view.photos[0]?.slot ?? '') ?? 'panel';
  const lead = leadOf(view.story, view.amenities.length);
  const gallery = view.photos.map(photo => galleryOfSlot(photo.slot)).find(found => found !== undefined);
  const { details } = view;
  const locationMm = locationMmOf(view.location?.rows ?? []);
  const plan = planPageTwo({ story: view.story, amenities: view.amenities.length, details, locationMm });
  const { withLocation } = plan;
  const mostMm = pageTwoMm - (gallery?.heightMm ?? mastheadMm.min);
  const place = view.location !== null && withLocation.wordsMm <= mostMm ? withLocation.column : null;
  const wordsMm = place === null ? plan.wordsMm : withLocation.wordsMm;
  /** Height of the gallery, or of the masthead without a gallery. */
  const headMm = gallery?.heightMm ?? mastheadHeightMm(wordsMm);
  const emptyMm = pageTwoMm - headMm - wordsMm - contactMm;
  const hasAmenitiesOnPageTwo = view.hasAmenities && lead !== 'amenities';
  const [name, ...around] = view.place;
  return {
    hero,
    /** No photo: the panel shows the logo. */
    heroIsPanel: hero === 'panel',
    opening: view.photos.filter(photo => heroKindOf(photo.slot) !== undefined),
    gallery: gallery === undefined ? [] : placedViews(view.photos, gallery),
    headMm,
    hasContact: emptyMm >= 0,
    /** Few words: large values, with more space between the rows. */
    isRoomy: emptyMm >= roomyShare * wordsMm,
    hasGallery: gallery !== undefined,
    storyDir: directionOfStory(view.story),
    leadsWithStory: lead === 'story',
    leadsWithAmenities: lead === 'amenities',
    leadsWithDetails: lead === 'details',
    amenitiesUnderStory: hasAmenitiesOnPageTwo && plan.amenitiesUnderStory,
    amenitiesBesideStory: hasAmenitiesOnPageTwo && !plan.amenitiesUnderStory,
    details,
    detailsOnPageTwo: lead !== 'details',
    locationOnLeft: place === 'left',
    locationOnRight: place === 'right',
    /** The most specific place name; without one, the title. */
    mastheadTitle: name ?? view.title,
    mastheadPlace: around,
  };
}

function mastheadHeightMm(wordsMm: number): number {
  const withContactMm = pageTwoMm - wordsMm - contactMm;
  const availableMm = withContactMm < mastheadMm.min ? pageTwoMm - wordsMm : withContactMm;
  const maxMm = wordsMm === 0 ? mastheadMm.withoutWords : mastheadMm.max;
  const heightMm = Math.min(Math.max(availableMm, mastheadMm.min), maxMm);
  return Math.round(Math.floor(heightMm / baselineMm) * baselineMm * 100) / 100;
}

function placedViews(photos: readonly PhotoView[], gallery: Gallery) {
  /** A larger photo covers the bleed; a smaller one is in the middle. */
  const offset = (spaceMm: number, partMm: number, isAtEdge = false) =>
    partMm > spaceMm ? -Number(isAtEdge) * bleedMm : Math.round(50 * (spaceMm - partMm)) / 100;
  return gallery.places.flatMap(({ slot, leftMm, topMm }) =>
    photos
      .filter(photo => photo.slot === slot.name)
      .map(photo => ({
        ...photo,
        startMm: leftMm + offset(photo.widthMm, photo.printed.widthMm, slot.edges?.start),
        topMm: topMm + offset(photo.heightMm, photo.printed.heightMm, slot.edges?.top),
      })),
  );
}

/** Names have at most two lines. */
function locationMmOf(rows: readonly DetailView[]): number {
  const wrapped = rows.filter(({ label, value }) => label.length + value.text.length > charactersPerLocationRow);
  return minLocationMm + wrapped.length * lineMm;
}

/**
 * @param content the number of amenities, the rows of the details table, and the height of the location
 * @returns whether the amenities are below the rest of the story rather than above the details, and the height of the words,
 * also with the location in the shorter column; they are estimated on the safe side
 */
function planPageTwo(content: {
  story: readonly StoryBlock[];
  amenities: number;
  details: readonly DetailView[];
  locationMm: number;
}) {
  const { story, locationMm } = content;
  const lead = leadOf(story, content.amenities);
  const amenities = lead === 'amenities' ? 0 : content.amenities;
  const details = lead === 'details' ? [] : content.details;
  const rest = linesOf(story) - linesOnPageOne;
  const storyMm = rest <= 0 ? 0 : (rest + 1) * lineMm;
  const amenitiesMm = amenities === 0 ? 0 : headingMm + Math.ceil(amenities / 2) * rowMm;
  const hasDetailsOnly = storyMm === 0 && amenities === 0;
  const tableInOneColumnMm = details.length === 0 ? 0 : headingMm + details.length * rowMm;
  /** They never stand side by side. */
  const instalments = details.filter(({ field }) => field === 'payment_plan').length;
  const isInTwoColumns = hasDetailsOnly && details.length > 0;
  const detailsMm = isInTwoColumns
    ? headingMm + Math.ceil((details.length + instalments) / 2) * rowMm
    : tableInOneColumnMm;
  const stacked = (above: number, below: number) => above + below + (above > 0 && below > 0 ? gapMm : 0);
  const under = Math.max(stacked(storyMm, amenitiesMm), detailsMm);
  const beside = Math.max(storyMm, stacked(amenitiesMm, detailsMm));
  const amenitiesUnderStory = under <= beside;
  const left = amenitiesUnderStory ? stacked(storyMm, amenitiesMm) : storyMm;
  // A location on the left leaves the details table one column.
  const right = amenitiesUnderStory ? Math.max(tableInOneColumnMm, detailsMm) : stacked(amenitiesMm, detailsMm);
  const [shorter, longer] = [Math.min(left, right), Math.max(left, right)];
  const column = left <= right ? ('left' as const) : ('right' as const);
  const withLocation = { column, wordsMm: Math.max(longer, stacked(shorter, locationMm)) };
  return { amenitiesUnderStory, wordsMm: Math.min(under, beside), withLocation };
}

export function galleryBudgetMm(listing: Listing): number {
  const { story, amenities } = contentOf(listing);
  const facts = factsOf(listing);
  const details = detailsOf(listing, english, facts);
  // The labels of bilingual pages are the longest.
  const locationMm = locationMmOf(locationRowsOf(listing, labelsOf('both')));
  const content = { story, amenities: amenities.length, details, locationMm };
  const { wordsMm, withLocation } = planPageTwo(content);
  const headMm = pageTwoMm - withLocation.wordsMm;
  return coordinatesOf(listing.geopoints) !== null && headMm >= minHeadMm ? headMm : pageTwoMm - wordsMm;
}

function linesOf(story: readonly StoryBlock[]): number {
  const lines = (text: string) => Math.ceil(text.length / charactersPerLine);
  return story.reduce((total, { heading, paragraph, list }) => {
    if (heading) return total + 1;
    const items = list?.items ?? [];
    const own = paragraph ? lines(paragraph.text) : items.reduce((sum, item) => sum + lines(item.text), 0);
    return total + own + paragraphGapLines;
  }, 0);
}
