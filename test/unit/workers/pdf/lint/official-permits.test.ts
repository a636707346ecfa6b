/** Listings get the regulator's record of their permits; a look-up that fails is a warning. */
import { describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { type FailureKind, UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import type { PermitKey } from '../../../../../core/integrations/listing-portal/system.ts';
import type { Permit } from '../../../../../core/integrations/listing-portal/wire.ts';
import { withOfficialPermits } from '../../../../../workers/pdf/lint/official-permits.ts';
import { Listing } from '../../../../../workers/pdf/listing.ts';
import type { PermitBrand } from '../../../../../workers/pdf/vocabulary/permits.ts';

type Sent = Partial<z.input<typeof Listing>>;
const record = 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE1';
const brand = { permitHosts: ['dubailand.gov.ae'], licenceNumber: '12345', permitUrl: undefined };
const home = {
  purpose: 'Sale',
  property_type: 'Apartment',
  price: '2150000',
  size: '742',
  bedroom: '1',
  city: 'Dubai',
};
const registered = {
  permitType: 'rera',
  price: '2150000',
  size: '742',
  bedrooms: '1',
  projectNumber: '',
  developer: '',
};

const listingOf = (fields: Sent = {}) =>
  Listing.parse({ reference_number: 'R-1', title_en: 'Home', permit_number: '7116777484', ...home, ...fields });
const permitOf = (changed: Partial<Permit> = {}): Permit => ({
  permitNumber: '7116777484',
  startsAt: null,
  expiresAt: '2099-12-31',
  validationUrl: record,
  registered,
  ...changed,
});
const signal = new AbortController().signal;

async function complete(
  listings: Listing | readonly Listing[],
  answer: Permit | undefined | ((key: PermitKey) => Promise<Permit | undefined>),
  changed: Partial<PermitBrand> = {},
) {
  const keys: PermitKey[] = [];
  const find = async (key: PermitKey) => {
    keys.push(key);
    return typeof answer === 'function' ? await answer(key) : answer;
  };
  const permits = { isConfigured: true, find };
  const { listings: completed, findings } = await withOfficialPermits(
    [listings].flat(),
    { ...brand, ...changed },
    permits,
    { signal },
  );
  return { keys, completed, findings, codes: findings.map(({ code, pointer }) => `${code} ${pointer}`) };
}

describe('the record of a permit', () => {
  it('gives link and expiry', async () => {
    const { completed, codes, keys } = await complete(listingOf(), permitOf());
    expect(completed).toMatchObject([{ permit_url: record, permit_expires_at: '2099-12-31' }]);
    expect(codes).toEqual([]);
    expect(keys).toEqual([{ permitNumber: '7116777484', licenceNumber: '12345', permitType: 'rera' }]);
  });

  it('does not replace what the request has', async () => {
    const sent = { permit_url: 'https://dubailand.gov.ae/1', developer: 'Own', completion_status: 'off_plan' };
    const project = { ...registered, projectNumber: '2871', developer: 'Cove' };
    const { completed } = await complete(listingOf(sent), permitOf({ registered: project }));
    expect(completed).toMatchObject([{ permit_url: 'https://dubailand.gov.ae/1', permit_expires_at: '2099-12-31' }]);
    expect(completed).toMatchObject([{ developer: 'Own', project_number: '2871' }]);
  });

  it('gives project and developer to off-plan properties only, unless the description names them', async () => {
    const permit = permitOf({ registered: { ...registered, projectNumber: '2871', developer: 'Cove' } });
    const offPlan = { completion_status: 'off_plan' };
    const described = { ...offPlan, description_en: 'Developer: Other\nProject number: 1' };
    const { completed } = await complete([listingOf(), listingOf(offPlan), listingOf(described)], permit);
    expect(completed.map(({ project_number, developer }) => [project_number, developer])).toEqual([
      ['', ''],
      ['2871', 'Cove'],
      ['', ''],
    ]);
  });

  it('is compared with the listing', async () => {
    const differing = listingOf({ price: '2,000,000', size: '900', bedroom: '2' });
    expect((await complete([listingOf(), differing], permitOf())).codes).toEqual([
      'permit-price /list/1/price',
      'permit-size /list/1/size',
      'permit-bedrooms /list/1/bedroom',
    ]);
  });
});

describe('the look-up', () => {
  it.each<[string, Sent, Partial<PermitKey>]>([
    ['a holiday home', { property_type: 'Holiday home', permit_number: 'BEA-PAL-K7Q2' }, { permitType: 'dtcm' }],
    [
      'a permit of Abu Dhabi, with its own licence',
      { city: 'Abu Dhabi', permit_number: '20250000534239-1#202400236475' },
      { permitNumber: '20250000534239-1', licenceNumber: '202400236475', permitType: 'adrec' },
    ],
  ])('asks for %s', async (_, listing, key) => {
    expect((await complete(listingOf(listing), permitOf())).keys).toMatchObject([key]);
  });

  it.each<[string, Sent]>([
    ['a draft', { draft: true }],
    ['a listing without permit', { permit_number: '' }],
    ['a placeholder', { permit_number: 'TBA' }],
    ['a listing of Sharjah', { city: 'Sharjah' }],
    ['a listing with link and expiry', { permit_url: record, permit_expires_at: '2099-01-01' }],
  ])('is not made for %s', async (_, listing) => {
    expect((await complete(listingOf(listing), permitOf())).keys).toEqual([]);
  });

  it('needs the licence number of the brand', async () => {
    const { keys, codes } = await complete(listingOf(), permitOf(), { licenceNumber: undefined });
    expect([keys, codes]).toEqual([[], ['permit-link-missing /list/0/permit_number']]);
  });

  it('of a permit that the portal does not have is a warning', async () => {
    const { completed, findings } = await complete(listingOf(), undefined);
    expect(completed).toEqual([listingOf()]);
    expect(findings).toMatchObject([
      { code: 'permit-unknown', detail: expect.stringContaining('no permit 7116777484 of the licence 12345') },
      { code: 'permit-link-missing', severity: 'warning' },
    ]);
  });

  const failure = (kind: FailureKind) =>
    new UpstreamError('upstream-failed', 'The listing portal failed.', {
      kind,
      system: 'listing-portal',
    });

  it('that fails is a warning with the reason, for each listing', async () => {
    const { completed, findings } = await complete([listingOf(), listingOf()], () =>
      Promise.reject(failure('rejected')),
    );
    expect(completed).toHaveLength(2);
    expect(findings.filter(({ code }) => code === 'permit-look-up')).toMatchObject([
      { pointer: '/list/0/permit_number', detail: expect.stringContaining('The listing portal failed.') },
      { pointer: '/list/1/permit_number' },
    ]);
  });

  it('is repeated once after a transient failure', async () => {
    const answers = [() => Promise.reject(failure('failing')), () => Promise.resolve(permitOf())];
    const { keys, codes } = await complete(listingOf(), () => answers.shift()?.() ?? Promise.resolve(undefined));
    expect([keys.length, codes]).toEqual([2, []]);
  });

  it('that fails for an unknown reason does not fail the print', async () => {
    const { codes } = await complete(listingOf(), () => Promise.reject(new TypeError('secret')));
    expect(codes).toContain('permit-look-up /list/0/permit_number');
  });

  it('without an answer ends after 25 s for all listings together', async () => {
    vi.useFakeTimers();
    const pending = complete(
      Array.from({ length: 40 }, () => listingOf()),
      () => new Promise(() => undefined),
    );
    await vi.advanceTimersByTimeAsync(25_000);
    vi.useRealTimers();
    const { findings, keys } = await pending;
    expect(keys).toHaveLength(8);
    expect(findings.filter(({ code }) => code === 'permit-look-up')).toHaveLength(40);
  });

  it('ends with the job', async () => {
    const cancelled = new AbortController();
    const permits = { isConfigured: true, find: () => new Promise<undefined>(() => undefined) };
    const pending = withOfficialPermits([listingOf()], brand, permits, cancelled);
    cancelled.abort(new Error('cancelled'));
    await expect(pending).rejects.toThrow('cancelled');
  });
});

describe('a warning', () => {
  it.each<[string, Sent, string[]]>([
    ['of Dubai without link', {}, ['permit-link-missing /list/0/permit_number']],
    ['of Dubai with its link', { permit_url: record }, []],
    ['of a draft', { draft: true }, []],
    ['without permit', { permit_number: '' }, []],
    ['of Abu Dhabi without link', { city: 'Abu Dhabi' }, []],
    ['with a link elsewhere', { permit_url: 'https://agency.example/1' }, ['permit-url-host /list/0/permit_url']],
  ])('of a listing %s', async (_, listing, expected) => {
    const permits = { isConfigured: false, find: () => Promise.reject(new Error('is not called')) };
    const { findings } = await withOfficialPermits([listingOf(listing)], brand, permits, { signal });
    expect(findings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(expected);
  });

  it('names a template of the brand that is on no regulator’s host', async () => {
    const permits = { isConfigured: false, find: () => Promise.reject(new Error('is not called')) };
    const own = { ...brand, permitUrl: 'https://permits.agency.example/{permit}' };
    const listings = [listingOf({ city: 'Abu Dhabi' })];
    const { findings } = await withOfficialPermits(listings, own, permits, { signal });
    expect(findings).toMatchObject([
      { code: 'permit-link-missing', detail: expect.stringContaining('none of its permitHosts (dubailand.gov.ae)') },
    ]);
  });
});
