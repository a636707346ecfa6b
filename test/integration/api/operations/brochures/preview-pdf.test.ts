/** PNG previews of listing pages. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrochureService, startBrochureService } from '../../../../support/brochure-service.ts';

const operation = '/apps/portal/v1/pdf/preview';

let brochures: BrochureService;
beforeAll(async () => {
  brochures = await startBrochureService('preview');
});
afterAll(() => brochures?.close());

const listing = () => ({
  reference_number: 'R-1',
  title_en: 'Beachfront villa',
  price: '14750000',
  photo: [brochures.photos.photo(1), brochures.photos.photo(2), brochures.photos.photo(3)],
});

const preview = (more: object, headers: Record<string, string> = {}) =>
  brochures.client.request('POST', operation, { body: { list: [listing()], ...more }, headers });

describe('a preview', () => {
  it.each([
    [{ design: 'new', dpi: 48 }, 397, 561],
    [{ design: 'new', page: 2 }, 794, 1123],
    [{ design: 'classic', dpi: 150 }, 1240, 1754],
  ])('of %j is returned as a PNG of an A4 page', async (choice, width, height) => {
    const { status, headers, bytes } = await preview(choice);
    expect(status, bytes.toString('latin1', 0, 600)).toBe(200);
    expect(headers.get('content-type')).toBe('image/png');
    const picture = await sharp(bytes).metadata();
    // A4 is not a whole number of pixels.
    expect(Math.abs(picture.width - width)).toBeLessThanOrEqual(2);
    expect(Math.abs(picture.height - height)).toBeLessThanOrEqual(2);
    // The page is not blank.
    expect((await sharp(bytes).stats()).entropy).toBeGreaterThan(1);
  });

  it('differs between the pages of a listing and is deterministic', async () => {
    const [first, again, second] = await Promise.all([preview({}), preview({}), preview({ page: 2 })]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(second.bytes.equals(first.bytes)).toBe(false);
  });

  it('is answered as a job with Accept: application/json', async () => {
    const { status, body } = await preview({}, { accept: 'application/json', prefer: 'wait=30' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { kind: 'pdf-preview', state: 'succeeded', result: { design: 'new', page: 1, width: 794 } },
    });
  });

  it.each([
    [{ design: 'classic', page: 2 }, '/page'],
    [{ dpi: 600 }, '/dpi'],
    [{ list: [] }, '/list'],
    [{ brand: 'unknown' }, '/brand'],
  ])('of %j returns 422 with a pointer to the error', async (wrong, pointer) => {
    expect(await preview(wrong)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});
