/** Images of a listing for social networks and chats: a photo beside or above a panel with the essentials. */
import { readFile } from 'node:fs/promises';
import type { CardSize } from '../contract.ts';
import type { DesignDefinition } from './design.ts';
import type { Labels } from './labels.ts';
import { isWideEnough, type PhotoSlot } from './photo-slot.ts';
import type { ListingView } from './view/listing.ts';

/** Templates and slots have 96 pixels per inch. */
const mmPerPixel = 25.4 / 96;

const slotOf = (name: CardSize, widthPx: number, heightPx: number): PhotoSlot => ({
  name,
  widthMm: widthPx * mmPerPixel,
  heightMm: heightPx * mmPerPixel,
  crop: 'attention',
});

/** The photo of each size; the panel takes the rest of the image. */
const slots: readonly PhotoSlot[] = [
  slotOf('landscape', 720, 630),
  slotOf('square', 1_080, 560),
  slotOf('story', 1_080, 1_180),
];

const maxFacts = 3;

export const cardDesign: DesignDefinition = {
  name: 'card',
  pagesOf: () => 1,
  maxPhotos: 3,
  agentSlot: { name: 'agent', widthMm: 80 * mmPerPixel, heightMm: 80 * mmPerPixel, crop: 'centre' },
  arrange(photos) {
    const best = Math.max(0, photos.findIndex(isWideEnough));
    return slots.map(slot => ({ slot, photo: photos.length === 0 ? null : best }));
  },
  source: folder => readFile(new URL('page.hbs', folder), 'utf8'),
  page: ({ photos, facts, agent }: ListingView, labels: Labels) => ({
    images: photos,
    facts: facts.slice(0, maxFacts),
    phone: agent?.phone?.text ?? '',
    /** Below the code, which is narrow: in one language. */
    codeNote: labels.plain('scanForRecord'),
  }),
};
