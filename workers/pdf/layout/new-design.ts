/** The new design, two pages a listing: page one is a poster, page two the file. */
import { readFile } from 'node:fs/promises';
import type { Listing } from '../listing.ts';
import type { DesignDefinition, PhotoShape, PlacedPhoto } from './design.ts';
import type { ListingView, PhotoView, StoryBlock } from './listing-view.ts';
import { chooseGallery, type Gallery, galleryHolding, mostGalleryPhotos } from './new-gallery.ts';
import { chooseHero, type HeroKind, heroKindOf, heroSlots } from './new-hero.ts';
import { roomForGalleryMm } from './new-room.ts';

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
const mastheadMm = { low: 47.63, tall: 98.43 };

/** Characters, a short line counting as a full one; page one holds about 750 of them. */
const longStoryLength = 1_900;
const charactersOfLine = 60;

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
  leftMm: number;
  topMm: number;
}

/** What stands first under the facts: the story, or the next best thing where there is none. */
type Lead = 'story' | 'amenities' | 'details';

interface NewPage {
  hero: HeroKind;
  opening: PhotoView[];
  gallery: PlacedView[];
  /** Height of what opens page two: the gallery, or the masthead where there is none. */
  headMm: number;
  longStory: boolean;
  hasGallery: boolean;
  leadsWithStory: boolean;
  /** The story's heading stands on the side its text starts. */
  storyDir: 'ltr' | 'rtl';
  leadsWithAmenities: boolean;
  leadsWithDetails: boolean;
  amenitiesOnFile: boolean;
  detailsOnFile: boolean;
}

function pageOf(view: ListingView): NewPage {
  const [first] = view.photos;
  const lead: Lead = view.hasStory ? 'story' : view.hasAmenities ? 'amenities' : 'details';
  const gallery = galleryOf(view.photos);
  const longStory = lengthOf(view.story) > longStoryLength;
  return {
    hero: heroKindOf(first?.slot ?? '') ?? 'panel',
    opening: view.photos.filter(photo => heroKindOf(photo.slot) !== undefined),
    gallery: gallery === undefined ? [] : placedViews(view.photos, gallery),
    headMm: gallery?.heightMm ?? (longStory ? mastheadMm.low : mastheadMm.tall),
    longStory,
    hasGallery: gallery !== undefined,
    storyDir: directionOf(view.story[0]),
    leadsWithStory: lead === 'story',
    leadsWithAmenities: lead === 'amenities',
    leadsWithDetails: lead === 'details',
    amenitiesOnFile: view.hasAmenities && lead !== 'amenities',
    detailsOnFile: lead !== 'details',
  };
}

function galleryOf(photos: readonly PhotoView[]): Gallery | undefined {
  return photos.map(photo => galleryHolding(photo.slot)).find(gallery => gallery !== undefined);
}

function placedViews(photos: readonly PhotoView[], gallery: Gallery): PlacedView[] {
  return gallery.places.flatMap(({ slot, leftMm, topMm }) =>
    photos.filter(photo => photo.slot === slot.name).map(photo => ({ ...photo, leftMm, topMm })),
  );
}

function lengthOf(story: readonly StoryBlock[]): number {
  const texts = story.flatMap(block => [block.heading, block.paragraph, ...(block.list?.items ?? [])]);
  return texts.reduce(
    (total, run) => total + (run === null ? 0 : Math.max(charactersOfLine, run.text.length)),
    0,
  );
}

function directionOf(block: StoryBlock | undefined): 'ltr' | 'rtl' {
  return (block?.heading ?? block?.paragraph ?? block?.list)?.dir ?? 'ltr';
}
