/** Previews of listing pages, and the files of each listing. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
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

const meanColour = async (picture: Buffer) => (await sharp(picture).stats()).channels.map(({ mean }) => mean);

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

  it.each([
    ['image/jpeg', 'image/jpeg'],
    ['image/png;q=0.5, image/jpeg', 'image/jpeg'],
    ['image/*', 'image/png'],
    ['*/*', 'image/png'],
  ])('with Accept: %s is an image of the type %s', async (accept, type) => {
    const [picture, png] = await Promise.all([preview({}, { accept }), preview({})]);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, type]);
    expect(picture.headers.get('content-disposition')).toContain(type === 'image/jpeg' ? 'page-1.jpg' : 'page-1.png');
    const { format, width, height } = await sharp(picture.bytes).metadata();
    const size = await sharp(png.bytes).metadata();
    expect({ type: `image/${format}`, width, height }).toEqual({ type, width: size.width, height: size.height });
    const [mean, expected] = await Promise.all([picture, png].map(({ bytes }) => meanColour(bytes)));
    for (const [at, value] of (mean ?? []).entries()) expect(value).toBeCloseTo(expected?.[at] ?? 0, 0);
    if (type === 'image/jpeg') expect(picture.bytes.length).toBeLessThan(png.bytes.length);
  });

  it('shows the page of floor plans, and only where there is one', async () => {
    const floor_plans = [brochures.photos.photo(4)];
    const withPlans = { list: [{ ...listing(), floor_plans }], design: 'classic', dpi: 48 };
    const [first, plans] = await Promise.all([preview({ ...withPlans, page: 1 }), preview({ ...withPlans, page: 2 })]);
    expect([first.status, plans.status]).toEqual([200, 200]);
    expect(plans.bytes.equals(first.bytes)).toBe(false);
    expect(await preview({ ...withPlans, page: 3 })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/page' }] },
    });
    const absent = {
      ...withPlans,
      list: [{ ...listing(), floor_plans: [`${brochures.photos.origin}/none`] }],
      page: 2,
    };
    expect(await preview(absent)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('floor plan') },
    });
  });

  it('shows the cover of a list, with its addressee, note and contents', async () => {
    const list = Array.from({ length: 4 }, (_, at) => ({ ...listing(), reference_number: `R-${at}` }));
    const of = (body: object) => preview({ dpi: 48, list, ...body });
    const covers = [{ cover: true }, { cover: { for: 'Mr Al Suwaidi' } }, { cover: { note: 'On Thursday.' } }];
    const pictures = await Promise.all([{ list: [listing()] }, ...covers].map(of));
    expect(pictures.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(pictures.map(({ bytes }) => bytes.toString('base64'))).size).toBe(4);
    expect(await of({ cover: { for: 'Mr Al Suwaidi' }, list: [listing()] })).toMatchObject({ status: 200 });
    expect(await of({ cover: true, page: 2 })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('the cover has 1') },
    });
  });

  it('shows the mail as HTML that runs nothing and loads nothing, and sends nothing', async () => {
    const mail = { message: 'Dear Sir, <script>alert(1)</script>' };
    const list = [listing(), { ...listing(), reference_number: 'R-2', title_en: 'Second villa' }];
    const { status, headers, bytes } = await preview({ list, mail }, { accept: 'text/html' });
    const html = bytes.toString();
    expect(status, html.slice(0, 600)).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html/);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* sandbox$/);
    expect(html).toContain('Dear Sir, &lt;script&gt;');
    expect(html).toContain('Second villa');
    const sources = [...html.matchAll(/src="([^"]{0,22})/g)].map(([, source]) => source);
    expect(sources).toEqual(['data:image/png;base64,', 'data:image/jpeg;base64']);

    const { body } = await preview({ list, mail: {} }, { accept: 'application/json', prefer: 'wait=30' });
    const { id, result } = z.object({ id: z.string(), result: z.object({ subject: z.string() }) }).parse(body);
    expect(result.subject).toMatch(/^2 properties – /);
    const made = await brochures.client.request('POST', `/jobs/${id}/result-link`, { body: {} });
    const { pathname, search } = new URL(z.object({ url: z.string() }).parse(made.body).url);
    const opened = await fetch(brochures.service.origin + pathname + search, { headers: { accept: 'text/html' } });
    expect(opened.headers.get('content-disposition')).toMatch(/^inline/);
    expect(opened.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('differs between the pages of a listing and is deterministic', async () => {
    const [first, again, second] = await Promise.all([preview({}), preview({}), preview({ page: 2 })]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
    expect(second.bytes.equals(first.bytes)).toBe(false);
  });

  it.each([
    [{ design: 'new' }, 0],
    [{ design: 'new', page: 2 }, 1],
    [{ design: 'classic' }, 1],
    [{ design: 'classic', page: 2 }, 3],
  ])('of %j shows photo %i of the request', async (choice, shown) => {
    const pictureOf = async (photos: string[]) => {
      const list = [{ ...listing(), photo: photos.slice(0, 3), floor_plans: photos.slice(3) }];
      const { status, bytes } = await preview({ ...choice, dpi: 24, list });
      expect(status).toBe(200);
      return bytes;
    };
    const photos = [1, 2, 3, 4].map(number => brochures.photos.photo(number));
    const changed = photos.with(shown, brochures.photos.photo(5));
    const [before, after] = await Promise.all([pictureOf(photos), pictureOf(changed)]);
    expect(after.equals(before)).toBe(false);
  });

  it('is answered as a job with Accept: application/json', async () => {
    const { status, body } = await preview({}, { accept: 'application/json', prefer: 'wait=30' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { kind: 'pdf-preview', state: 'succeeded', result: { design: 'new', page: 1, width: 794 } },
    });
  });

  it('is stored for an hour', async () => {
    const { body } = await preview({}, { accept: 'application/json', prefer: 'wait=30' });
    const { finishedAt, resultExpiresAt } = z
      .object({ finishedAt: z.string(), resultExpiresAt: z.string() })
      .parse(body);
    expect(Date.parse(resultExpiresAt) - Date.parse(finishedAt)).toBe(3_600_000);
  });

  it.each([
    [{ design: 'classic', page: 2 }, '/page'],
    [{ dpi: 600 }, '/dpi'],
    [{ list: [] }, '/list'],
    [{ cover: true }, '/cover'],
    [{ brand: 'unknown' }, '/brand'],
    [{ mail: { to: 'a@b.example' } }, '/mail/to'],
  ])('of %j returns 422 with a pointer to the error', async (wrong, pointer) => {
    expect(await preview(wrong)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});

describe('the files of each listing', () => {
  const list = () => [listing(), { ...listing(), reference_number: 'R-2', title_en: 'فيلا على الشاطئ' }, listing()];
  const make = (body: object, headers: Record<string, string> = {}) =>
    brochures.client.request('POST', '/apps/portal/v1/pdf/files', { body: { list: list(), ...body }, headers });
  const Files = z.object({
    id: z.string(),
    result: z.object({
      pages: z.int(),
      bytes: z.int(),
      sha256: z.string(),
      fileName: z.string(),
      files: z.array(
        z.object({ name: z.string(), contentType: z.string(), bytes: z.int(), sha256: z.string() }).loose(),
      ),
    }),
  });
  const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it('are listed on the job, and downloaded together or one by one', async () => {
    const files = { pdf: true, images: ['story', 'landscape', 'square'] };
    const { status, body } = await make({ files, design: 'classic' }, { prefer: 'wait=120' });
    expect(status, JSON.stringify(body)).toBe(200);
    const { id, result } = Files.parse(body);
    const kinds = ['.pdf', '-landscape.jpg', '-square.jpg', '-story.jpg'];
    // The third listing has the reference of the first.
    expect(result.files.map(({ name }) => name)).toEqual(
      ['R-1', 'R-2', 'R-1-2'].flatMap(name => kinds.map(kind => name + kind)),
    );
    expect(result).toMatchObject({ pages: 3, fileName: '3-listings.zip' });
    const whole = await brochures.client.request('GET', `/jobs/${id}/result`);
    expect(whole.headers.get('content-type')).toBe('application/zip');
    expect(sha256Of(whole.bytes)).toBe(result.sha256);
    for (const { name, contentType, bytes, sha256, width, height } of result.files) {
      const file = await brochures.client.request('GET', `/jobs/${id}/result/files/${name}`);
      expect({ status: file.status, type: file.headers.get('content-type') }).toEqual({
        status: 200,
        type: contentType,
      });
      expect([file.bytes.length, sha256Of(file.bytes)]).toEqual([bytes, sha256]);
      expect(whole.bytes.includes(file.bytes)).toBe(true);
      if (width !== undefined)
        expect(await sharp(file.bytes).metadata()).toMatchObject({ width, height, format: 'jpeg' });
      else expect(file.bytes.toString('latin1', 0, 5)).toBe('%PDF-');
    }
    const name = result.files[1]?.name;
    const part = await brochures.client.request('GET', `/jobs/${id}/result/files/${name}`, {
      headers: { range: 'bytes=2-5' },
    });
    const all = await brochures.client.request('GET', `/jobs/${id}/result/files/${name}`);
    expect({ status: part.status, bytes: part.bytes }).toEqual({ status: 206, bytes: all.bytes.subarray(2, 6) });
    const unknown = await brochures.client.request('GET', `/jobs/${id}/result/files/other.pdf`);
    expect(unknown.status).toBe(404);
    const stranger = await brochures.service.client(['pdf']);
    expect((await stranger.request('GET', `/jobs/${id}/result/files/${name}`)).status).toBe(404);
  });

  it('are PNG images of the requested size on request, with Arabic labels', async () => {
    const { status, headers, bytes } = await make(
      { files: { images: ['square'], format: 'png' }, language: 'ar' },
      { accept: 'application/zip' },
    );
    expect(status, bytes.toString('latin1', 0, 500)).toBe(200);
    expect(headers.get('content-type')).toBe('application/zip');
    const at = bytes.indexOf(Buffer.from('\x89PNG', 'latin1'));
    const png = bytes.subarray(at);
    const image = await sharp(png).toBuffer({ resolveWithObject: true });
    expect(image.info).toMatchObject({ width: 1080, height: 1080 });
    const pixel = async (left: number, top: number) => [
      ...(await sharp(png).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
    ];
    expect(await pixel(540, 280), 'the photo, which is 640 pixels wide').not.toEqual(await pixel(10, 280));
  });

  it.each([
    [{}, '/files'],
    [{ files: {} }, '/files'],
    [{ files: { images: ['banner'] } }, '/files/images/0'],
    [{ files: { pdf: true }, brand: 'unknown' }, '/brand'],
  ])('of %j return 422 with a pointer to the error', async (wrong, pointer) => {
    expect(await make(wrong)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('of a brochure do not exist', async () => {
    const job = await brochures.client.requestJob('POST', '/apps/portal/v1/pdf', {
      body: { list: [listing()] },
      headers: { prefer: 'wait=60' },
    });
    expect((await brochures.client.request('GET', `/jobs/${job.id}/result/files/R-1.pdf`)).status).toBe(404);
  });
});
