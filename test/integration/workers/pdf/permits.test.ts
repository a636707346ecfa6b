/** Permits are looked up in the listing portal, here the sandbox over HTTP, for prints, images, previews and checks. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';

const system = 'listing-portal';
const official = /\/URI \((https:\/\/trakheesi\.example\/rev\/madmoun\/[^)]+)\)/g;

let sandbox: Sandbox;
let brochures: BrochureService;
let numbers = 7_116_000_001;

beforeAll(async () => {
  sandbox = await startSandbox();
  brochures = await startBrochureService('permits', undefined, undefined, {
    LISTING_PORTAL_URL: `${sandbox.url}/${system}`,
    LISTING_PORTAL_API_KEY: 'sandbox'.padEnd(40, '0'),
    LISTING_PORTAL_API_SECRET: 'sandbox'.padEnd(32, '0'),
  });
});
afterAll(async () => {
  await brochures?.close();
  await sandbox?.close();
});
beforeEach(() => sandbox.control.reset(system));

/** The portal is asked for each permit once, so that each test needs its own. Numbers that end with 0 have expired. */
function newNumber(): string {
  do numbers++;
  while (numbers % 10 === 0);
  return String(numbers);
}

/** As the sandbox registers the permit. */
const offPlan = {
  reference_number: 'R-1',
  title_en: 'One bedroom by the creek',
  permit_number: '7116790417',
  city: 'Dubai',
  purpose: 'Sale',
  property_type: 'Apartment',
  completion_status: 'off_plan',
  price: '2,150,000',
  bedroom: '1',
  size: '742',
  escrow_account: 'AE07 0331',
};
/** The sandbox registers other values. */
const differing = () => ({
  ...offPlan,
  completion_status: 'Ready',
  permit_number: newNumber(),
  price: '77',
  size: '7',
});

async function print(listing: object, more: object = {}, path = '/apps/portal/v1/pdf') {
  const { id } = await brochures.client.requestJob('POST', path, { body: { list: [listing], ...more } });
  const job = await brochures.client.waitForJob(id);
  const result = job.state === 'succeeded' ? await brochures.client.request('GET', `/jobs/${id}/result`) : undefined;
  const pdf = result?.bytes.toString('latin1') ?? '';
  return { job, pdf, links: [...pdf.matchAll(official)].map(([, url]) => url) };
}

const pointers = (warnings: readonly { pointer: string }[] = []) => warnings.map(({ pointer }) => pointer);
const lookUps = async () => {
  const { requests } = await sandbox.control.requests(system);
  // The reset of the sandbox has invalidated the token.
  return requests.filter(({ path, status }) => path.includes('/compliances/') && status !== 401);
};

describe('a listing with the values of its permit', () => {
  it.each(['/apps/portal/v1/pdf', '/apps/portal/v1/pdf-new'])(
    'has in %s the link of the portal’s record, and no warning',
    async path => {
      const { job, links } = await print(offPlan, { strict: true }, path);
      expect(job).toMatchObject({ state: 'succeeded', warnings: [] });
      expect(new Set(links).size).toBe(1);
    },
  );

  it('has no warning in the check of the request', async () => {
    const body = { list: [offPlan], validateOnly: true };
    const reply = await brochures.client.request('POST', '/apps/portal/v1/pdf', { body });
    expect(pointers(Object(reply.body).warnings).filter(pointer => pointer.includes('permit'))).toEqual([]);
  });
});

describe('a listing with other values than its permit', () => {
  it('is printed, with a warning for each', async () => {
    const { job, links } = await print(differing());
    expect(job.state).toBe('succeeded');
    expect(pointers(job.warnings)).toEqual(expect.arrayContaining(['/list/0/price', '/list/0/size']));
    expect(links).not.toEqual([]);
  });

  it('fails with `strict`, with the same pointers', async () => {
    const { job } = await print({ ...differing(), size: '7' }, { strict: true });
    expect(job.state).toBe('failed');
    expect(job.error).toMatchObject({ code: 'invalid-input' });
    expect(pointers(Object(job.error).errors)).toEqual(expect.arrayContaining(['/list/0/price', '/list/0/size']));
  });

  it('is reported by `validateOnly`', async () => {
    const body = { list: [differing()], validateOnly: true };
    const { body: answer } = await brochures.client.request('POST', '/apps/portal/v1/pdf', { body });
    expect(answer).toMatchObject({
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'permit-price', pointer: '/list/0/price' })]),
    });
  });
});

it('an expired permit is a warning', async () => {
  const { job } = await print({ ...offPlan, permit_number: '7116888880' });
  expect(pointers(job.warnings)).toContain('/list/0/permit_expires_at');
});

it('a permit that the portal does not have is a warning, and printed without code', async () => {
  const { job, pdf, links } = await print({ ...offPlan, permit_number: '6000000001' });
  expect(job.state).toBe('succeeded');
  expect(pointers(job.warnings)).toContain('/list/0/permit_number');
  expect([links, pdf.includes('Scan to open')]).toEqual([[], false]);
});

describe('the look-up', () => {
  it('is made once for two prints, an image and a preview', async () => {
    const listing = { ...offPlan, permit_number: newNumber() };
    await print(listing);
    await print(listing, { language: 'ar' });
    await print(listing, { files: { images: ['square'] } }, '/apps/portal/v1/pdf/files');
    const preview = { body: { list: [listing], design: 'classic' }, headers: { accept: 'image/png' } };
    expect((await brochures.client.request('POST', '/apps/portal/v1/pdf/preview', preview)).status).toBe(200);
    expect(await lookUps()).toMatchObject([
      { path: `/v1/compliances/${listing.permit_number}/00000`, query: 'permitType=rera', status: 200 },
    ]);
  });

  it.each(['error-500', 'html', 'malformed'] as const)('that fails (%s) does not fail the print', async fault => {
    await sandbox.control.fault(system, { fault, path: '/v1/compliances', times: 50 });
    const { job, links } = await print({ ...offPlan, permit_number: newNumber() });
    expect(job.state).toBe('succeeded');
    expect(job.warnings?.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([expect.stringMatching(/could not be looked up/)]),
    );
    expect(links).toEqual([]);
  });

  it('is not made for a draft, which needs no permit', async () => {
    const draft = { ...offPlan, permit_number: '', draft: true, project_number: '2871' };
    const { job } = await print(draft, { strict: true });
    expect(job).toMatchObject({ state: 'succeeded', warnings: [] });
    expect(await lookUps()).toEqual([]);
  });
});
