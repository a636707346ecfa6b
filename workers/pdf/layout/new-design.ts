/** The new design, two pages a listing: page one is a poster, page two the file. */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import type { DesignDefinition, PhotoShape, PlacedPhoto } from './design.ts';
import type { Labels } from './labels.ts';
import type { DetailView, ListingView, PhotoView, StoryBlock, TextView } from './listing-view.ts';
import { chooseGallery, type Gallery, galleryHolding, mostGalleryPhotos } from './new-gallery.ts';
import { chooseHero, type HeroKind, heroKindOf, heroSlots } from './new-hero.ts';
import { planFile, roomForGalleryMm, rowsOf } from './new-room.ts';

/** The shape an unknown photo is taken to have. */
const ordinaryShape: PhotoShape = { widthPx: 1920, heightPx: 1280 };

export const newDesign: DesignDefinition = {
  name: 'new',
  pagesPerListing: 2,
  maxPhotos: 1 + mostGalleryPhotos,
  agentSlot: { name: 'agent', widthMm: 22, heightMm: 22, crop: 'centre' },
  arrange,
  source: folder => readFile(new URL('page.hbs', folder), 'utf8'),
  page: pageOf,
};

/** Without a gallery page two opens with the house's colour: deep where there is room, low above a long story. */
const mastheadMm = { least: 47.63, most: 171.45 };
const baselineMm = 1.5875;

/** One placeholder tells that photos are missing; more of them would only be holes. */
function arrange(photos: readonly PhotoShape[], missing: number, listing: Listing): PlacedPhoto[] {
  const hero = chooseHero(photos);
  const opening = heroSlots[hero.kind].map((slot, at) => ({ slot, photo: hero.photos[at] ?? null }));
  const rest = [...photos.keys()].filter(at => !hero.photos.includes(at)).slice(0, mostGalleryPhotos);
  const placeholder = missing > 0 && rest.length > 0 && rest.length < mostGalleryPhotos;
  const shapes = rest.map(at => photos[at] ?? ordinaryShape);
  const choice = chooseGallery(placeholder ? [...shapes, ordinaryShape] : shapes, roomForGalleryMm(listing));
  if (choice === null) return opening;
  const gallery = choice.gallery.places.map(({ slot }, at) => ({
    slot,
    photo: rest[choice.photos[at] ?? -1] ?? null,
  }));
  return [...opening, ...gallery];
}

interface PlacedView extends PhotoView {
  startMm: number;
  topMm: number;
}

/** What stands first under the facts: the story, or the next best thing where there is none. */
type Lead = 'story' | 'amenities' | 'details';

interface NewPage {
  hero: HeroKind;
  /** Without a photo: the mark stands large on the panel. */
  heroIsPanel: boolean;
  opening: PhotoView[];
  gallery: PlacedView[];
  /** Height of what opens page two: the gallery, or the masthead where there is none. */
  headMm: number;
  hasGallery: boolean;
  leadsWithStory: boolean;
  /** The story's heading stands on the side its text starts. */
  storyDir: 'ltr' | 'rtl';
  leadsWithAmenities: boolean;
  leadsWithDetails: boolean;
  amenitiesUnderStory: boolean;
  amenitiesBesideStory: boolean;
  details: DetailView[];
  detailsOnFile: boolean;
  /** What the masthead says large: the place's own name, or the title where no place is known. */
  mastheadTitle: TextView;
  mastheadPlace: TextView[];
}

function pageOf(view: ListingView, labels: Labels): NewPage {
  const hero = heroKindOf(view.photos[0]?.slot ?? '') ?? 'panel';
  const lead: Lead = view.hasStory ? 'story' : view.hasAmenities ? 'amenities' : 'details';
  const gallery = galleryOf(view.photos);
  const details = rowsOf(view.details, view.facts, labels);
  const onFile = { story: view.story, amenities: view.amenities.length, details: details.length };
  const plan = planFile(lead === 'amenities' ? { ...onFile, amenities: 0 } : onFile);
  const amenitiesOnFile = view.hasAmenities && lead !== 'amenities';
  const [place, ...around] = view.place;
  return {
    hero,
    heroIsPanel: hero === 'panel',
    opening: view.photos.filter(photo => heroKindOf(photo.slot) !== undefined),
    gallery: gallery === undefined ? [] : placedViews(view.photos, gallery),
    headMm: gallery?.heightMm ?? mastheadOf(plan.headMm),
    hasGallery: gallery !== undefined,
    storyDir: directionOf(view.story[0]),
    leadsWithStory: lead === 'story',
    leadsWithAmenities: lead === 'amenities',
    leadsWithDetails: lead === 'details',
    amenitiesUnderStory: amenitiesOnFile && plan.amenitiesUnderStory,
    amenitiesBesideStory: amenitiesOnFile && !plan.amenitiesUnderStory,
    details,
    detailsOnFile: lead !== 'details',
    mastheadTitle: place ?? view.title,
    mastheadPlace: around,
  };
}

function mastheadOf(roomMm: number): number {
  const within = Math.min(Math.max(roomMm, mastheadMm.least), mastheadMm.most);
  return Math.round(Math.floor(within / baselineMm) * baselineMm * 100) / 100;
}

function galleryOf(photos: readonly PhotoView[]): Gallery | undefined {
  return photos.map(photo => galleryHolding(photo.slot)).find(gallery => gallery !== undefined);
}

function placedViews(photos: readonly PhotoView[], gallery: Gallery): PlacedView[] {
  return gallery.places.flatMap(({ slot, leftMm, topMm }) =>
    photos.filter(photo => photo.slot === slot.name).map(photo => ({ ...photo, startMm: leftMm, topMm })),
  );
}

function directionOf(block: StoryBlock | undefined): 'ltr' | 'rtl' {
  return (block?.heading ?? block?.paragraph ?? block?.list)?.dir ?? 'ltr';
}
