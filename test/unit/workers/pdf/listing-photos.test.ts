/** The sizes of photos on the pages. */
import { describe, expect, it } from 'vitest';
import { cardDesign } from '../../../../workers/pdf/layout/card-design.ts';
import type { LayoutName } from '../../../../workers/pdf/layout/design.ts';
import { loadDesigns } from '../../../../workers/pdf/layout/designs.ts';
import { dpiIn, type PhotoShape, slotWithin } from '../../../../workers/pdf/layout/photo-slot.ts';
import { Listing } from '../../../../workers/pdf/listing.ts';
import { cropsOf, placePhotos } from '../../../../workers/pdf/listing-photos.ts';
import type { FetchedPhoto } from '../../../../workers/pdf/photos/fetch-photos.ts';
import { collectedPhotos } from '../../../support/collected-photos.ts';

const designs = await loadDesigns();
const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
const fetched = ({ widthPx, heightPx }: PhotoShape, at: number): FetchedPhoto => {
  return { ok: true, url: `https://photos.example/${at}`, hash: String(at), widthPx, heightPx, freshUntil: 0 };
};
const shapes: Readonly<Record<string, PhotoShape>> = {
  tiny: { widthPx: 200, heightPx: 133 },
  small: { widthPx: 640, heightPx: 480 },
  upright: { widthPx: 600, heightPx: 900 },
  panorama: { widthPx: 1_500, heightPx: 300 },
  large: { widthPx: 1_920, heightPx: 1_280 },
};

function placed(name: LayoutName, photos: readonly string[], agent?: PhotoShape) {
  const found = photos.map((shape, at) => fetched(shapes[shape] ?? expect.fail(), at));
  const collected = collectedPhotos({ fetched: found, agent: agent && fetched(agent, 99) });
  const { prepared, crops } = placePhotos([listing], [collected], designs[name]);
  return { prepared: prepared[0] ?? expect.fail(), crops: [...crops.values()] };
}

describe.each<[LayoutName, number]>([
  ['classic', 110],
  ['new', 110],
  ['card', 96],
])('a photo of the %s layout', (name, dpi) => {
  it.each([
    [['tiny']],
    [['tiny', 'tiny', 'tiny']],
    [['small', 'tiny', 'large']],
    [['upright', 'small', 'panorama', 'tiny', 'large', 'large']],
    [['panorama']],
    [['large', 'small', 'upright', 'tiny', 'panorama', 'small', 'large', 'large', 'small', 'tiny']],
  ])(`has at least ${dpi} dpi (%j)`, photos => {
    for (const { slot, photo } of placed(name, photos).crops) expect(dpiIn(slot, photo)).toBeGreaterThan(dpi - 1);
  });

  it('fills its slot when it has the pixels', () => {
    for (const { slot, printed } of placed(name, ['large', 'large', 'large']).prepared.photos)
      expect(printed).toBe(slot);
  });
});

it('the slot of a photo with few pixels keeps its shape', () => {
  const slot = cardDesign.agentSlot;
  const small = slotWithin(slot, { widthPx: 40, heightPx: 40 }, 'classic');
  expect(small.widthMm).toBeLessThan(slot.widthMm);
  expect(small.widthMm / small.heightMm).toBeCloseTo(slot.widthMm / slot.heightMm, 1);
});

describe('the photo that leads a cover', () => {
  const leads = (photos: readonly string[][], sheet?: 'bleed') => {
    const covered = designs.classic.with({ language: 'en', cover: { for: '', note: '' }, sheet });
    const each = photos.map(names =>
      collectedPhotos({ fetched: names.map((name, at) => fetched(shapes[name] ?? expect.fail(), at)) }),
    );
    const { prepared, crops } = placePhotos(
      each.map(() => listing),
      each,
      covered,
    );
    return { leads: prepared.map(({ lead }) => lead && [lead.widthMm, lead.heightMm]), prepared, crops };
  };

  it('is cropped from the original, for the first listing with a large one', () => {
    const { leads: sizes, prepared, crops } = leads([[], ['tiny'], ['large'], ['large']]);
    expect(sizes).toEqual([undefined, undefined, [210, expect.closeTo(138.11, 1)], undefined]);
    const src = prepared[2]?.lead?.src ?? '';
    expect(crops.get(src)?.slot.heightMm).toBeCloseTo(138.11, 1);
    expect([...cropsOf({ prepared, crops }, { from: 2, to: 3 }).keys()]).toContain(src);
  });

  it('covers the bleed of a sheet', () => {
    expect(leads([['large']], 'bleed').leads).toEqual([[216, expect.closeTo(249.06, 1)]]);
  });
});

describe('the photo of an agent', () => {
  it('fills its circle when it is a portrait', () => {
    const { prepared } = placed('new', [], { widthPx: 500, heightPx: 500 });
    expect(prepared.agentPhotoRatio).toBeUndefined();
  });

  it('is printed whole when it is no portrait', () => {
    const { prepared, crops } = placed('new', [], { widthPx: 1_200, heightPx: 500 });
    expect(prepared.agentPhotoRatio).toBe(2.4);
    expect(crops[0]?.slot).toMatchObject({ widthMm: 22, heightMm: expect.closeTo(22 / 2.4, 2) });
  });
});
