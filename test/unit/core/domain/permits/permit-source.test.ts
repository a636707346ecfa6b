/** Permits of the listing portal are cached in the process. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type PermitSource, permitsOf } from '../../../../../core/domain/permits/permit-source.ts';
import type { PermitKey } from '../../../../../core/integrations/listing-portal/system.ts';
import { once, useVendor, vendorContext } from '../../../../support/vendor.ts';

const path = 'GET /v1/compliances/7116777484/12345';
const key: PermitKey = { permitNumber: '7116777484', licenceNumber: '12345', permitType: 'rera' };
const found = { json: { data: [{ permitNumber: '7116777484' }] } };
const missing = { status: 404, json: {} };
const failure = { status: 400, json: {} };
const [minuteMs, hourMs] = [60_000, 3_600_000];

const vendor = await useVendor();
let permits: PermitSource;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vendor.on('POST /v1/auth/token', { json: { accessToken: 'token', expiresIn: 1_000_000 } });
  const settings = { LISTING_PORTAL_API_KEY: 'key', LISTING_PORTAL_API_SECRET: 'secret' };
  permits = permitsOf(vendorContext({ LISTING_PORTAL_URL: vendor.url, ...settings }));
});
afterEach(() => vi.useRealTimers());

const find = () => once(() => permits.find(key));
const lookUps = () => vendor.received.filter(({ query }) => query.permitType === 'rera').length;
/** The cache reads the clock at most once in a millisecond. */
async function pass(milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds);
  await new Promise(resolve => setTimeout(resolve, 5));
}

it('a permit is read once in six hours, also by concurrent jobs', async () => {
  vendor.on(path, found);
  expect(await Promise.all([find(), find()])).toMatchObject([
    { permitNumber: '7116777484' },
    { permitNumber: '7116777484' },
  ]);
  await pass(5 * hourMs);
  await find();
  expect(lookUps()).toBe(1);
  await pass(2 * hourMs);
  await find();
  expect(lookUps()).toBe(2);
});

it('a permit that the portal does not have is looked up again after five minutes', async () => {
  vendor.on(path, missing, found);
  expect([await find(), await find()]).toEqual([undefined, undefined]);
  await pass(6 * minuteMs);
  expect(await find()).toMatchObject({ permitNumber: '7116777484' });
  expect(lookUps()).toBe(2);
});

it('a failure is not kept, and an earlier record is used meanwhile', async () => {
  vendor.on(path, failure, found, failure, missing);
  await expect(find()).rejects.toThrow();
  expect(await find()).toMatchObject({ permitNumber: '7116777484' });
  await pass(7 * hourMs);
  expect(await find()).toMatchObject({ permitNumber: '7116777484' });
  await pass(6 * minuteMs);
  expect(await find()).toBeUndefined();
});

it('without a portal there are no permits', async () => {
  const none = permitsOf(vendorContext({}));
  expect(none.isConfigured).toBe(false);
});
