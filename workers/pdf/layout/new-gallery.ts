/** The compositions of the new design's gallery, and the choice of one for given photos. */
import { dpiIn, type PhotoShape, type PhotoSlot } from './photo-slot.ts';

/** Each letter is a photo and covers the cells of its place; `heightsMm` has one height per row. */
interface Mosaic {
  rows: readonly string[];
  heightsMm: readonly number[];
}

const pageWidthMm = 210;
const gapMm = 1.2;
export const maxGalleryPhotos = 9;

/** By number of photos. The first of each is for landscapes, the others are for portraits and panoramas. */
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

/** Its places have a slot and the position of its upper left corner on the page. */
export type Gallery = ReturnType<typeof galleryOf>;

/** Height factors: taller galleries for pages with few words. */
const stretches = [2, 1.85, 1.7, 1.6, 1.5, 1.4, 1.32, 1.25, 1.18, 1.12, 1.06, 1, 0.94, 0.88] as const;

/** Cost of 100 mm of empty page, in the unit of `cropCost`. */
const emptyCost = 0.6;

/** Pixels per inch below which a photo is printed smaller than its slot. */
const fineDpi = 110;
/** The longer side of a photo that is too small for most slots. */
const smallPhotoPx = 600;

/** Tries the tallest variants that fit; lower ones only leave more of the page empty, unless photos are small. */
const maxVariantsTried = 3;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Rounds to 0.01 mm. */
const hundredths = (mm: number): number => Math.round(mm * 100) / 100;

/** For each mosaic its variants, the tallest first. */
const compositions: readonly (readonly Gallery[])[] = Object.entries(mosaics).flatMap(([photos, ofCount]) =>
  ofCount.map((mosaic, variant) =>
    stretches.map(stretch => {
      const name = `gallery-${photos}${'abcdefgh'.charAt(variant)}${stretch === 1 ? '' : `-${stretch}`}`;
      return galleryOf({ ...mosaic, heightsMm: mosaic.heightsMm.map(height => height * stretch) }, name);
    }),
  ),
);

const galleryBySlot = new Map(
  compositions.flat().flatMap(gallery => gallery.places.map(({ slot }) => [slot.name, gallery] as const)),
);

export const galleryOfSlot = (slotName: string): Gallery | undefined => galleryBySlot.get(slotName);

function galleryOf({ rows, heightsMm }: Mosaic, name: string) {
  const columns = rows[0]?.length ?? 1;
  const columnMm = (pageWidthMm - gapMm * (columns - 1)) / columns;
  const letters = [...new Set(rows.join(''))];
  const top = (row: number) => sum(heightsMm.slice(0, row)) + gapMm * row;
  const places = letters.map(letter => {
    const inRows = rows.flatMap((row, at) => (row.includes(letter) ? [at] : []));
    const firstRow = inRows[0] ?? 0;
    const line = rows[firstRow] ?? '';
    const width = line.lastIndexOf(letter) - line.indexOf(letter) + 1;
    const heightMm = sum(inRows.map(at => heightsMm[at] ?? 0)) + gapMm * (inRows.length - 1);
    const widthMm = width * columnMm + gapMm * (width - 1);
    const first = line.indexOf(letter);
    const edges = { start: first === 0, end: first + width === columns, top: firstRow === 0 };
    const slot: PhotoSlot = {
      name: `${name}-${letter}`,
      ...(Object.values(edges).includes(true) && { edges }),
      widthMm: hundredths(widthMm),
      heightMm: hundredths(heightMm),
      // A narrow band of a room looks best around its centre: `attention` prefers lamps and ceilings.
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

export interface GalleryChoice {
  gallery: Gallery;
  /** Indexes into the shapes, in the order of the gallery's places. */
  photos: readonly number[];
}

/**
 * The gallery with the lowest cost: cropping, empty page, and photos out of order.
 * @param maxHeightMm when no composition is low enough, the lowest variant of one is used
 */
export function chooseGallery(shapes: readonly PhotoShape[], maxHeightMm: number): GalleryChoice | null {
  let best: (GalleryChoice & { cost: number }) | null = null;
  const hasSmall = shapes.some(({ widthPx, heightPx }) => Math.max(widthPx, heightPx) < smallPhotoPx);
  const candidates = compositions.filter(([gallery]) => gallery?.places.length === shapes.length);
  for (const [rank, composition] of candidates.entries()) {
    const lowest = composition.slice(-1);
    const fits = composition
      .filter(({ heightMm }) => heightMm <= maxHeightMm)
      .slice(0, hasSmall ? undefined : maxVariantsTried);
    for (const gallery of fits.length > 0 ? fits : lowest) {
      const { cost, photos } = assign(shapes, gallery.places);
      const empty = (emptyCost * Math.max(0, maxHeightMm - gallery.heightMm)) / 100;
      // A gallery that is too tall hides words. Later compositions must be better to be chosen.
      const over = gallery.heightMm > maxHeightMm ? 1 : 0;
      const total = cost + empty + over + 0.05 * rank;
      if (best === null || total < best.cost) best = { gallery, photos, cost: total };
    }
  }
  return best;
}

/** The cheapest assignment of photos to places: dynamic programming over sets of used photos (at most 512). */
function assign(shapes: readonly PhotoShape[], places: Gallery['places']) {
  const all = (1 << shapes.length) - 1;
  const costs = new Float64Array(all + 1).fill(Number.POSITIVE_INFINITY);
  /** The photo in the last place of each set. */
  const last = new Uint8Array(all + 1);
  costs[0] = 0;
  let reached = [0];
  for (const [at, { slot }] of places.entries()) {
    const next: number[] = [];
    const crops = Float64Array.from(shapes, shape => cropCost(shape, slot));
    for (const used of reached) {
      for (let photo = 0; photo < crops.length; photo++) {
        const set = used | (1 << photo);
        const total = (costs[used] ?? 0) + (crops[photo] ?? 0) + 0.02 * Math.abs(photo - at);
        if (set === used || total >= (costs[set] ?? 0)) continue;
        if (costs[set] === Number.POSITIVE_INFINITY) next.push(set);
        costs[set] = total;
        last[set] = photo;
      }
    }
    reached = next;
  }
  const photos: number[] = [];
  for (let set = all; set !== 0; set &= ~(1 << (photos[0] ?? 0))) photos.unshift(last[set] ?? 0);
  return { photos, cost: costs[all] ?? 0 };
}

/**
 * 0 for a photo in the slot's shape, near 1 when little of it remains, more when it has too few pixels for the slot. Squared: cropping
 * every photo a little is better than cropping one to its half.
 */
function cropCost(photo: PhotoShape, slot: PhotoSlot): number {
  const { widthPx, heightPx } = photo;
  const { widthMm, heightMm } = slot;
  const ratio = widthPx / heightPx / (widthMm / heightMm);
  const lost = 1 - Math.min(ratio, 1 / ratio);
  const enlarged = Math.max(0, fineDpi / dpiIn(slot, photo) - 1);
  return lost ** 2 + enlarged;
}
