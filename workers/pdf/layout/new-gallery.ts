/** The compositions of the new design's gallery, drawn as pictures, and the choice among them for given photos. */
import { LRUCache } from 'lru-cache';
import type { PhotoShape, PhotoSlot } from './design.ts';

/** Rows of letters: each letter is a photo, the cells it covers its place; one height in mm for each row. */
interface Mosaic {
  rows: readonly string[];
  heightsMm: readonly number[];
}

const pageWidthMm = 210;
const gapMm = 1.2;
export const mostGalleryPhotos = 9;

/** By number of photos; the first is the composition for ordinary landscapes, the others for portraits and panoramas. */
const mosaics: Readonly<Record<number, readonly Mosaic[]>> = {
  1: [
    { rows: ['a'], heightsMm: [96] },
    { rows: ['a'], heightsMm: [62] },
  ],
  2: [
    { rows: ['ab'], heightsMm: [84] },
    { rows: ['aab'], heightsMm: [102] },
    { rows: ['abb'], heightsMm: [102] },
    { rows: ['a', 'b'], heightsMm: [58, 58] },
    { rows: ['ab'], heightsMm: [118] },
  ],
  3: [
    { rows: ['aab', 'aac'], heightsMm: [51, 51] },
    { rows: ['abcc'], heightsMm: [76] },
    { rows: ['aabbbbcccc'], heightsMm: [62] },
    { rows: ['aabbb', 'aaccc'], heightsMm: [58, 58] },
    { rows: ['aa', 'bc'], heightsMm: [52, 66] },
    { rows: ['abc'], heightsMm: [100] },
  ],
  4: [
    { rows: ['ab', 'cd'], heightsMm: [60, 60] },
    { rows: ['abc', 'add'], heightsMm: [44, 58] },
    { rows: ['aab', 'aac', 'aad'], heightsMm: [38, 38, 38] },
    { rows: ['aaa', 'bcd'], heightsMm: [64, 46] },
    { rows: ['aabbccc', 'aabbddd'], heightsMm: [44, 44] },
    { rows: ['abcd'], heightsMm: [78] },
  ],
  5: [
    { rows: ['aaabbb', 'ccddee'], heightsMm: [66, 46] },
    { rows: ['abc', 'ade'], heightsMm: [50, 50] },
    { rows: ['abbc', 'addc', 'aeec'], heightsMm: [36, 36, 36] },
    { rows: ['abcde'], heightsMm: [62] },
  ],
  6: [
    { rows: ['aab', 'aac', 'def'], heightsMm: [40, 40, 40] },
    { rows: ['abcd', 'abef'], heightsMm: [38, 38] },
    { rows: ['abc', 'def'], heightsMm: [50, 50] },
    { rows: ['abcdef'], heightsMm: [52] },
  ],
  7: [
    { rows: ['aabc', 'aade', 'ffgg'], heightsMm: [33, 33, 54] },
    { rows: ['abcd', 'aefg'], heightsMm: [38, 38] },
  ],
  8: [
    { rows: ['aaaaaabbbccc', 'aaaaaadddeee', 'ffffgggghhhh'], heightsMm: [35, 35, 46] },
    { rows: ['abcd', 'efgh'], heightsMm: [38, 38] },
    { rows: ['abcd', 'abef', 'ghhf'], heightsMm: [38, 38, 38] },
  ],
  9: [{ rows: ['aabc', 'aade', 'fghi'], heightsMm: [37, 37, 37] }],
};

/** A slot and where its left upper corner lies, from the page's. */
interface GalleryPlace {
  slot: PhotoSlot;
  leftMm: number;
  topMm: number;
}

export interface Gallery {
  heightMm: number;
  places: readonly GalleryPlace[];
}

/** Taller and lower makes of the same composition, for pages with few words and with many. */
const stretches = [2, 1.85, 1.7, 1.6, 1.5, 1.4, 1.32, 1.25, 1.18, 1.12, 1.06, 1, 0.94, 0.88] as const;

/** What a hundred millimetres of empty page cost, beside the costs of cropping below. */
const emptyCost = 0.6;

/** Of a composition's makes that fit, so many are looked at: still lower ones only leave more of the page empty. */
const makesTried = 3;

/** One composition in its makes, the tallest first. */
type Composition = readonly Gallery[];

const compositions: readonly Composition[] = Object.entries(mosaics).flatMap(([photos, drawings]) =>
  drawings.map((mosaic, variant) =>
    stretches.map(stretch => {
      const name = `gallery-${photos}${'abcdefgh'.charAt(variant)}${stretch === 1 ? '' : `-${stretch}`}`;
      return galleryOf({ ...mosaic, heightsMm: mosaic.heightsMm.map(height => height * stretch) }, name);
    }),
  ),
);

const galleryBySlot = new Map(
  compositions.flat().flatMap(gallery => gallery.places.map(({ slot }) => [slot.name, gallery] as const)),
);

/** The gallery a slot belongs to. */
export const galleryHolding = (slotName: string): Gallery | undefined => galleryBySlot.get(slotName);

function galleryOf({ rows, heightsMm }: Mosaic, name: string): Gallery {
  const columns = rows[0]?.length ?? 1;
  const columnMm = (pageWidthMm - gapMm * (columns - 1)) / columns;
  const letters = [...new Set(rows.join(''))].sort();
  const top = (row: number) => sum(heightsMm.slice(0, row)) + gapMm * row;
  const places = letters.map(letter => {
    const inRows = rows.flatMap((row, at) => (row.includes(letter) ? [at] : []));
    const firstRow = inRows[0] ?? 0;
    const line = rows[firstRow] ?? '';
    const width = line.lastIndexOf(letter) - line.indexOf(letter) + 1;
    const heightMm = sum(inRows.map(at => heightsMm[at] ?? 0)) + gapMm * (inRows.length - 1);
    const widthMm = width * columnMm + gapMm * (width - 1);
    const slot: PhotoSlot = {
      name: `${name}-${letter}`,
      widthMm: hundredths(widthMm),
      heightMm: hundredths(heightMm),
      // Of a room, what is cut to a band is best about the middle: attention likes lamps and ceilings.
      crop: widthMm < heightMm || widthMm > 1.9 * heightMm ? 'centre' : 'attention',
    };
    return {
      slot,
      leftMm: hundredths(line.indexOf(letter) * (columnMm + gapMm)),
      topMm: hundredths(top(firstRow)),
    };
  });
  return { places, heightMm: hundredths(top(rows.length) - gapMm) };
}

/** A photo placed in a gallery: the index into the shapes given. */
export interface GalleryChoice {
  gallery: Gallery;
  /** Index into the shapes, in the order of the gallery's places. */
  photos: readonly number[];
}

/**
 * The gallery, and each photo's place in it, that crops least and leaves least of the page empty, and keeps the order
 * where nothing speaks against it.
 * @param roomMm how tall it may be; where no composition is low enough, the lowest is taken
 */
export function chooseGallery(shapes: readonly PhotoShape[], roomMm: number): GalleryChoice | null {
  const key = `${Math.round(roomMm)} ${shapes.map(({ widthPx, heightPx }) => `${widthPx}x${heightPx}`).join(' ')}`;
  const known = choices.get(key);
  if (known) return known;
  const choice = searchGallery(shapes, roomMm);
  if (choice) choices.set(key, choice);
  return choice;
}

/** Photos of one photographer have the same shapes, listing after listing. */
const choices = new LRUCache<string, GalleryChoice>({ max: 2_000 });

function searchGallery(shapes: readonly PhotoShape[], roomMm: number): GalleryChoice | null {
  let best: (GalleryChoice & { cost: number }) | null = null;
  const fitting = compositions.filter(([gallery]) => gallery?.places.length === shapes.length);
  for (const [rank, composition] of fitting.entries()) {
    const lowest = composition.slice(-1);
    const low = composition.filter(({ heightMm }) => heightMm <= roomMm).slice(0, makesTried);
    for (const gallery of low.length > 0 ? low : lowest) {
      const { cost, photos } = assign(shapes, gallery.places);
      const empty = (emptyCost * Math.max(0, roomMm - gallery.heightMm)) / 100;
      // What runs over its room costs the reader words; a later composition has to earn its place.
      const over = gallery.heightMm > roomMm ? 1 : 0;
      const total = cost + empty + over + 0.05 * rank;
      if (best === null || total < best.cost) best = { gallery, photos, cost: total };
    }
  }
  return best;
}

interface Assignment {
  photos: readonly number[];
  cost: number;
}

/** The cheapest assignment of photos to places, by dynamic programming over the set of photos used (9 photos: 512 sets). */
function assign(shapes: readonly PhotoShape[], places: readonly GalleryPlace[]): Assignment {
  let reached = new Map<number, Assignment>([[0, { photos: [], cost: 0 }]]);
  for (const [at, place] of places.entries()) {
    const next = new Map<number, Assignment>();
    for (const [used, { photos, cost }] of reached) {
      for (const [photo, shape] of shapes.entries()) {
        if ((used & (1 << photo)) !== 0) continue;
        const total = cost + cropCost(shape, place.slot) + 0.02 * Math.abs(photo - at);
        const set = used | (1 << photo);
        const known = next.get(set);
        if (known === undefined || total < known.cost)
          next.set(set, { photos: [...photos, photo], cost: total });
      }
    }
    reached = next;
  }
  return reached.get((1 << shapes.length) - 1) ?? { photos: [], cost: 0 };
}

/** 0 for a photo of the slot's shape, near 1 for one of which little would be left, more for one too small; squared, for
 * a little off every photo harms less than half of one. */
function cropCost({ widthPx, heightPx }: PhotoShape, { widthMm, heightMm }: PhotoSlot): number {
  const ratio = widthPx / heightPx / (widthMm / heightMm);
  const lost = 1 - Math.min(ratio, 1 / ratio);
  const enlarged = Math.max(0, widthMm / 25.4 / (widthPx / 72) - 1);
  return lost ** 2 + Math.min(enlarged, 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function hundredths(mm: number): number {
  return Math.round(mm * 100) / 100;
}
