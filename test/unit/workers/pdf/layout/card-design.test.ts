/** The images for social networks: which photo they show, and what their panel says. */
import { describe, expect, it } from 'vitest';
import { cardDesign } from '../../../../../workers/pdf/layout/card-design.ts';
import { english } from '../../../../../workers/pdf/layout/labels.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import { listingViews } from '../../../../support/listing-view.ts';

const listing = Listing.parse({ reference_number: 'R-1', title_en: 'Home' });
const landscape = { widthPx: 1920, heightPx: 1280 };
const portrait = { widthPx: 1280, heightPx: 1920 };
const square = { widthPx: 1280, heightPx: 1280 };
const mmPerPixel = 25.4 / 96;

describe('the photo of an image', () => {
  const photosOf = (...shapes: (typeof landscape)[]) =>
    cardDesign.arrange(shapes, 0, listing).map(({ photo }) => photo);

  it('has a size of its own in each image, and shows its most salient part', () => {
    const slots = cardDesign.arrange([landscape], 0, listing).map(({ slot }) => slot);
    expect(slots).toEqual([
      { name: 'landscape', widthMm: 720 * mmPerPixel, heightMm: 630 * mmPerPixel, crop: 'attention' },
      { name: 'square', widthMm: 1_080 * mmPerPixel, heightMm: 560 * mmPerPixel, crop: 'attention' },
      { name: 'story', widthMm: 1_080 * mmPerPixel, heightMm: 1_180 * mmPerPixel, crop: 'attention' },
    ]);
    expect(cardDesign.agentSlot).toMatchObject({ name: 'agent', widthMm: expect.closeTo(21.17, 2), crop: 'centre' });
    expect(cardDesign.agentSlot.heightMm).toBe(cardDesign.agentSlot.widthMm);
  });

  it('is the first one that can be shown large, else the first', () => {
    expect(photosOf(portrait, { widthPx: 499, heightPx: 300 }, square, landscape)).toEqual([2, 2, 2]);
    expect(photosOf(portrait, { widthPx: 500, heightPx: 300 })).toEqual([1, 1, 1]);
    expect(photosOf(portrait, portrait)).toEqual([0, 0, 0]);
    expect(photosOf()).toEqual([null, null, null]);
  });
});

describe('the panel of an image', () => {
  const page = async (fields: object) => {
    const [view = expect.fail()] = await listingViews([{ listing: fields, photos: [[182, 91]] }]);
    return cardDesign.page(view, english);
  };

  it('has three facts and the phone of the agent', async () => {
    const agent = { name: 'Layla Haddad', phone: '0501234501' };
    expect(await page({ bedroom: '3', bathroom: '4', size: '2000', parking: '2', agent })).toMatchObject({
      images: [{ slot: 'hero-0' }],
      phone: '+971 50 123 4501',
      facts: [{ field: 'bedroom' }, { field: 'bathroom' }, { field: 'size' }],
    });
  });

  it.each([{}, { agent: { name: 'Layla Haddad' } }])('has no phone with %j', async fields =>
    expect(await page(fields)).toMatchObject({ facts: [], phone: '' }),
  );
});
