/** Tests the control surface of the sandbox with the calls that connector tests use. */
import { afterEach, describe, expect, it } from 'vitest';
import { startSandbox, useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();

afterEach(() => sandbox.control.reset('crm'));

const crm = (method: string, body: object = {}): Promise<Response> =>
  fetch(`${sandbox.url}/crm/rest/1/sandbox/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const control = (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${sandbox.url}/control/${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
const leadCount = async (): Promise<number> => (await sandbox.control.rows('crm', 'leads')).count;

describe('a fault', () => {
  it('answers the given number of calls with the vendor’s error', async () => {
    await sandbox.control.fault('crm', { fault: 'limit', path: 'crm.lead.get', times: 2 });
    const statuses = [];
    for (let call = 1; call <= 3; call += 1) statuses.push((await crm('crm.lead.get', { id: 1001 })).status);
    expect(statuses).toEqual([503, 503, 200]);
    await sandbox.control.fault('crm', { fault: 'unauthorized' });
    expect(await (await crm('profile')).json()).toMatchObject({ error: 'NO_AUTH_FOUND' });
    await sandbox.control.fault('crm', { fault: 'error-500' });
    expect((await crm('profile')).status).toBe(500);
  });

  it('"html" answers with the page of a proxy', async () => {
    await sandbox.control.fault('crm', { fault: 'html' });
    const response = await crm('profile');
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
  });

  it('lets the skipped calls succeed', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', path: 'profile', skip: 2 });
    const statuses = [];
    for (let call = 1; call <= 4; call += 1) statuses.push((await crm('profile')).status);
    expect(statuses).toEqual([200, 200, 500, 200]);
  });

  it('"malformed" runs the call and truncates its response', async () => {
    const before = await leadCount();
    await sandbox.control.fault('crm', { fault: 'malformed' });
    const response = await crm('crm.lead.add', { fields: { NAME: 'Cut' } });
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(SyntaxError);
    expect(await leadCount()).toBe(before + 1);
  });

  it('"drop-after-commit" runs the call and closes the connection', async () => {
    const before = await leadCount();
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.lead.add' });
    await expect(crm('crm.lead.add', { fields: { NAME: 'Dropped' } })).rejects.toThrow('fetch failed');
    const { count, latest } = await sandbox.control.rows('crm', 'leads');
    expect(count).toBe(before + 1);
    expect(latest.at(-1)).toMatchObject({ NAME: 'Dropped' });
  });

  it('"slow" delays the call', async () => {
    await sandbox.control.fault('crm', { fault: 'slow', delayMs: 80 });
    await crm('profile');
    const { requests } = await sandbox.control.requests('crm');
    expect(requests.at(-1)).toMatchObject({ fault: 'slow', status: 200 });
    expect(requests.at(-1)?.ms).toBeGreaterThanOrEqual(79);
  });
});

describe('the request log', () => {
  it('contains each call with its status, and counts', async () => {
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'user.get' });
    await crm('profile');
    await crm('profile');
    await crm('no.such.method');
    await crm('user.get').catch(() => undefined);
    const { total, byStatus, byPath, requests } = await sandbox.control.requests('crm');
    expect(total).toBe(4);
    expect(byStatus).toEqual({ 200: 2, 404: 1 });
    expect(byPath).toMatchObject({ 'POST /rest/1/sandbox/profile': 2 });
    expect(requests.map(({ status, fault }) => [status, fault])).toEqual([
      [200, null],
      [200, null],
      [404, null],
      [null, 'drop-after-commit'],
    ]);
  });
});

describe('the data', () => {
  it('is emptied, halved and reset by collection', async () => {
    const all = (await sandbox.control.rows('crm', 'deals')).count;
    await sandbox.control.data('crm', 'deals', 'halve');
    expect((await sandbox.control.rows('crm', 'deals')).count).toBe(Math.ceil(all / 2));
    await sandbox.control.data('crm', 'deals', 'empty');
    expect(await (await crm('crm.deal.list')).json()).toMatchObject({ result: [], total: 0 });
    expect((await sandbox.control.rows('crm', 'users')).count).toBe(300);
    await sandbox.control.data('crm', 'deals', 'reset');
    expect((await sandbox.control.rows('crm', 'deals')).count).toBe(all);
  });
});

describe('resetting a system', () => {
  it('resets its data, settings, faults and request log, and no other system', async () => {
    await sandbox.control.settings('listing-portal', { lenientSearch: true });
    await sandbox.control.settings('crm', { callLimit: false });
    await sandbox.control.data('crm', 'leads', 'empty');
    await sandbox.control.fault('crm', { fault: 'error-500' });
    await sandbox.control.reset('crm');

    expect(await (await control('GET', 'crm')).json()).toMatchObject({
      settings: { callLimit: { value: true } },
      faults: [],
    });
    expect(await leadCount()).toBe(600);
    expect((await sandbox.control.requests('crm')).total).toBe(0);
    expect(await (await control('GET', 'listing-portal')).json()).toMatchObject({
      settings: { lenientSearch: { value: true } },
    });
    await sandbox.control.reset('listing-portal');
  });
});

describe('an invalid control call', () => {
  it.each([
    ['an unknown system', 'POST', 'crn/faults', { fault: 'slow' }, 404, /no system "crn"; there are: .*crm/],
    ['an unknown collection', 'POST', 'crm/data', { collection: 'deal', change: 'empty' }, 404, /no collection "deal"/],
    ['an unknown fault', 'POST', 'crm/faults', { fault: 'boom' }, 422, /fault/],
    ['an unknown field', 'POST', 'crm/faults', { fault: 'slow', time: 2 }, 422, /time/],
    ['an unknown change', 'POST', 'crm/data', { collection: 'deals', change: 'double' }, 422, /change/],
    ['an unknown setting', 'POST', 'crm/settings', { calLimit: false }, 422, /calLimit/],
    ['a setting of another type', 'POST', 'crm/settings', { callLimit: 'off' }, 422, /callLimit/],
    ['an unknown system to reset', 'DELETE', 'nothing', undefined, 404, /there are/],
  ])('with %s is rejected with a message', async (_title, method, path, body, status, sentence) => {
    const response = await control(method, path, body);
    expect(response.status).toBe(status);
    expect((await response.json()).error).toMatch(sentence);
  });
});

describe('two sandboxes', () => {
  it('in one process share no state', async () => {
    const other = await startSandbox();
    await other.control.data('crm', 'leads', 'empty');
    expect((await other.control.rows('crm', 'leads')).count).toBe(0);
    expect(await leadCount()).toBe(600);
    await other.close();
  });
});
