/**
 * The new design: two pages per listing. Page one has a hero photo, price, facts and the first content; page two the
 * gallery and the rest.
 */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import type { DesignDefinition, DesignOptions } from './design.ts';
import type { PhotoView } from './document-view.ts';
import { chooseGallery, type Gallery, galleryOfSlot, maxGalleryPhotos } from './new-gallery.ts';
import { fitsOnePage, galleryBudgetMm, leadOf, locationMmOf, pageTwoMm, planPageTwo } from './new-words.ts';
import { minLargePx, type PhotoShape, type PhotoSlot, type PlacedPhoto, slotWithin } from './photo-slot.ts';
import { bleedMm } from './sheet.ts';
import type { ListingView } from './view/listing.ts';
import { directionOfStory } from './view/story.ts';

/** 58% of the page, on the 4.5 pt baseline (108 lines of it). */
const heroHeightMm = 171.45;

/** The hero of a listing on one page, which has the content of both pages below it. */
const lowHeroHeightMm = 101.6;

type HeroKind = 'full' | 'band' | 'half' | 'pair' | 'panel' | 'low';

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
  /** On one page: a landscape photo or a panel. */
  low: [
    { name: 'hero-low', widthMm: 210, heightMm: lowHeroHeightMm, crop: 'attention', edges: edgesOf('start', 'end') },
  ],
};

/** All openings begin at the upper edge of the page. */
function edgesOf(...sides: readonly ('start' | 'end')[]) {
  return { start: sides.includes('start'), end: sides.includes('end'), top: true };
}

/** Assumed for placeholders. */
const defaultShape: PhotoShape = { widthPx: 1920, heightPx: 1280 };

export const newDesign: DesignDefinition = {
  name: 'new',
  pagesOf: ([first]) => (first?.slot.name === 'hero-low' ? 1 : 2),
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

/** The agent, or the brand, below the words with the gap above them. */
const contactMm = 36.3;
/** Rows with large values are taller by this share. */
const roomyShare = 0.75;

/** One placeholder represents all missing photos. */
function arrange(
  photos: readonly PhotoShape[],
  missing: number,
  listing: Listing,
  options: Partial<Pick<DesignOptions, 'language' | 'pages'>> = {},
): PlacedPhoto[] {
  const hero = chooseHero(photos);
  if (options.pages === 'auto' && options.language !== 'both' && photos.length + missing <= 1) {
    const isLow = (hero.kind === 'full' || hero.kind === 'panel') && fitsOnePage(listing);
    if (isLow && hero.photos.length === photos.length)
      return heroSlots.low.map(slot => ({ slot, photo: hero.photos[0] ?? null }));
  }
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
  const large = [...shapes.keys()].filter(at => (shapes[at]?.widthPx ?? 0) >= minLargePx);
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

const heroKinds: readonly HeroKind[] = ['full', 'band', 'half', 'pair', 'panel', 'low'];
const heroKindOf = (slotName: string) => heroKinds.find(kind => heroSlots[kind].some(slot => slot.name === slotName));

function pageOf(view: ListingView) {
  const kind = heroKindOf(view.photos[0]?.slot ?? '') ?? 'panel';
  const hasPageTwo = kind !== 'low';
  const hero = hasPageTwo ? kind : view.photos[0]?.src ? 'full' : 'panel';
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
    amenitiesOnPageOne: view.hasAmenities && (lead === 'amenities' || !hasPageTwo),
    detailsOnPageOne: lead === 'details' || !hasPageTwo,
    hasPageTwo,
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
