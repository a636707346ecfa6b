/**
 * The new design: two pages per listing. Page one has a hero photo, price, facts and the first content; page two the
 * gallery and the rest.
 */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import type { DesignDefinition, PhotoShape, PhotoSlot, PlacedPhoto } from './design.ts';
import type { DetailView, ListingView, PhotoView, TextView } from './document-view.ts';
import type { Labels } from './labels.ts';
import { chooseGallery, type Gallery, galleryOfSlot, maxGalleryPhotos } from './new-gallery.ts';
import { detailRowsOf, galleryBudgetMm, planPageTwo } from './new-layout-budget.ts';
import { directionOfStory } from './view/story.ts';

/** 58% of the page, on the 4.5 pt baseline (108 lines of it). */
const heroHeightMm = 171.45;

/** Narrower photos are never heroes. */
const minHeroWidthPx = 500;

type HeroKind = 'full' | 'band' | 'half' | 'pair' | 'panel';

const heroSlots: Readonly<Record<HeroKind, readonly PhotoSlot[]>> = {
  /** A landscape photo across the page. */
  full: [{ name: 'hero-full', widthMm: 210, heightMm: heroHeightMm, crop: 'attention' }],
  /** A panorama above a dark panel with the headline. */
  band: [{ name: 'hero-band', widthMm: 210, heightMm: 92.08, crop: 'attention' }],
  /** One portrait beside a dark panel with the headline. */
  half: [{ name: 'hero-half', widthMm: 120, heightMm: heroHeightMm, crop: 'centre' }],
  /** Two portraits side by side. */
  pair: [
    { name: 'hero-pair-a', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre' },
    { name: 'hero-pair-b', widthMm: 104.4, heightMm: heroHeightMm, crop: 'centre' },
  ],
  /** No photo: a dark panel with the logo. */
  panel: [{ name: 'hero-panel', widthMm: 210, heightMm: heroHeightMm, crop: 'attention' }],
};

interface HeroChoice {
  kind: HeroKind;
  /** Indexes into the shapes, one per slot of the kind. */
  photos: readonly number[];
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

/** Without a gallery, page two starts with a masthead in the brand's colour, whose height depends on the words below. */
const mastheadMm = { min: 47.63, max: 171.45 };
const baselineMm = 1.5875;

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

/** The first landscape opens the page; else the first panorama; else one or two portraits. */
function chooseHero(shapes: readonly PhotoShape[]): HeroChoice {
  const large = [...shapes.keys()].filter(at => (shapes[at]?.widthPx ?? 0) >= minHeroWidthPx);
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

const heroKindOf = (slotName: string): HeroKind | undefined => {
  const kinds: readonly HeroKind[] = ['full', 'band', 'half', 'pair', 'panel'];
  return kinds.find(kind => heroSlots[kind].some(slot => slot.name === slotName));
};

interface PlacedView extends PhotoView {
  startMm: number;
  topMm: number;
}

/** The content below the facts: the story, else the amenities, else the details. */
type Lead = 'story' | 'amenities' | 'details';

interface NewPage {
  hero: HeroKind;
  /** No photo: the panel shows the logo. */
  heroIsPanel: boolean;
  opening: PhotoView[];
  gallery: PlacedView[];
  /** Height of the gallery, or of the masthead without a gallery. */
  headMm: number;
  hasGallery: boolean;
  leadsWithStory: boolean;
  /** Direction of the story's heading. */
  storyDir: 'ltr' | 'rtl';
  leadsWithAmenities: boolean;
  leadsWithDetails: boolean;
  amenitiesUnderStory: boolean;
  amenitiesBesideStory: boolean;
  details: DetailView[];
  detailsOnPageTwo: boolean;
  /** The most specific place name; without one, the title. */
  mastheadTitle: TextView;
  mastheadPlace: TextView[];
}

function pageOf(view: ListingView, labels: Labels): NewPage {
  const hero = heroKindOf(view.photos[0]?.slot ?? '') ?? 'panel';
  const lead: Lead = view.hasStory ? 'story' : view.hasAmenities ? 'amenities' : 'details';
  const gallery = galleryOf(view.photos);
  const details = detailRowsOf(view.details, view.facts, labels);
  const content = { story: view.story, amenities: view.amenities.length, details: details.length };
  const plan = planPageTwo(lead === 'amenities' ? { ...content, amenities: 0 } : content);
  const hasAmenitiesOnPageTwo = view.hasAmenities && lead !== 'amenities';
  const [place, ...around] = view.place;
  return {
    hero,
    heroIsPanel: hero === 'panel',
    opening: view.photos.filter(photo => heroKindOf(photo.slot) !== undefined),
    gallery: gallery === undefined ? [] : placedViews(view.photos, gallery),
    headMm: gallery?.heightMm ?? mastheadHeightMm(plan.headMm),
    hasGallery: gallery !== undefined,
    storyDir: directionOfStory(view.story),
    leadsWithStory: lead === 'story',
    leadsWithAmenities: lead === 'amenities',
    leadsWithDetails: lead === 'details',
    amenitiesUnderStory: hasAmenitiesOnPageTwo && plan.amenitiesUnderStory,
    amenitiesBesideStory: hasAmenitiesOnPageTwo && !plan.amenitiesUnderStory,
    details,
    detailsOnPageTwo: lead !== 'details',
    mastheadTitle: place ?? view.title,
    mastheadPlace: around,
  };
}

function mastheadHeightMm(availableMm: number): number {
  const heightMm = Math.min(Math.max(availableMm, mastheadMm.min), mastheadMm.max);
  return Math.round(Math.floor(heightMm / baselineMm) * baselineMm * 100) / 100;
}

function galleryOf(photos: readonly PhotoView[]): Gallery | undefined {
  return photos.map(photo => galleryOfSlot(photo.slot)).find(gallery => gallery !== undefined);
}

function placedViews(photos: readonly PhotoView[], gallery: Gallery): PlacedView[] {
  return gallery.places.flatMap(({ slot, leftMm, topMm }) =>
    photos.filter(photo => photo.slot === slot.name).map(photo => ({ ...photo, startMm: leftMm, topMm })),
  );
}
