/** CRM operations over HTTP: records, leads, enquiries from landing pages, and the search for a user. */
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import crmSystem from '../../../../../core/integrations/crm/system.ts';
import { type Person, people } from '../../../../../sandbox/kit/people.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, useService } from '../../../../support/test-service.ts';

const Id = z.object({ id: z.int(), duplicateOf: z.int().nullable() });
const leads = '/apps/crm/v1/leads';

const sandbox = useSandbox();
const service = useService('crm records', () => ({
  sandboxUrl: sandbox.url,
  env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));
let reader: ApiClient;
let writer: ApiClient;

beforeEach(async () => {
  await sandbox.control.reset('crm');
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  reader = await service.client(['crm:read']);
  writer = await service.client(['crm:write', 'crm:read']);
});

const leadCount = async () => (await sandbox.control.rows('crm', 'leads')).count;
const commentCount = async () => (await sandbox.control.rows('crm', 'comments')).count;

describe('getting a record', () => {
  it('returns each kind with our field names', async () => {
    const { body } = await writer.request('POST', leads, {
      body: { title: 'Villa', firstName: 'Sara', phones: ['050 123 4561'], emails: ['Sara@Example.com'] },
    });
    const { id } = Id.parse(body);
    expect(await reader.request('GET', `${leads}/${id}`)).toMatchObject({
      status: 200,
      body: { id, title: 'Villa', phones: ['+971501234561'], emails: ['sara@example.com'], outcome: 'open' },
    });
    expect(await reader.request('GET', `${leads}/${id}/product-rows`)).toMatchObject({
      status: 200,
      body: { items: [] },
    });
    expect(await reader.request('GET', '/apps/crm/v1/products/2')).toMatchObject({
      status: 200,
      body: { id: 2, name: 'Listing 2', currency: 'AED' },
    });
  });

  it.each([
    [`${leads}/999999`, 'no lead 999999'],
    [`${leads}/999999/product-rows`, 'no lead 999999'],
    ['/apps/crm/v1/products/999999', 'no product 999999'],
    ['/apps/crm/v1/items/1222/999999999', 'no item 999999999'],
    ['/apps/crm/v1/items/4999/1', 'no item 1 of the type 4999'],
  ])('returns 404 for %s', async (path, detail) => {
    const reply = await reader.request('GET', path);
    expect(reply).toMatchObject({ status: 404, body: { detail: expect.stringContaining(detail) } });
  });

  it.each([`${leads}/0`, `${leads}/seven`, '/apps/crm/v1/items/x/1'])('returns 422 for an invalid id: %s', async path =>
    expect((await reader.request('GET', path)).status).toBe(422),
  );

  it('marks a response that comes from the sandbox', async () => {
    const reply = await reader.request('GET', '/apps/crm/v1/products/2');
    expect(reply.headers.get('portal-sandbox')).toBe('crm');
  });

  it.each([
    ['error-500', 'The CRM failed: Internal server error (INTERNAL_SERVER_ERROR).'],
    ['html', 'The CRM failed'],
    ['malformed', 'The CRM failed'],
    ['unauthorized', 'The CRM rejects our credentials: Wrong authorization data (NO_AUTH_FOUND).'],
  ] as const)(
    'returns a problem with the CRM’s own text, but no web page and no secret, on the fault %s',
    async (fault, detail) => {
      const other = await startTestService(`crm ${fault}`, { sandboxUrl: sandbox.url });
      try {
        await sandbox.control.fault('crm', { fault, times: 20 });
        const reply = await (await other.client(['crm:read'])).request('GET', '/apps/crm/v1/products/2');
        expect(reply).toMatchObject({ status: 502, body: { detail: expect.stringContaining(detail) } });
        expect(JSON.stringify(reply.body)).not.toMatch(/<html|sandbox\//i);
      } finally {
        await other.close();
      }
    },
  );
});

describe('creating an item', () => {
  const path = '/apps/crm/v1/items/1224';

  it('creates it once per Idempotency-Key and returns it', async () => {
    const ask = { body: { fields: { title: 'Viewing' } }, headers: { 'idempotency-key': 'item-1' } };
    const first = await writer.request('POST', path, ask);
    expect(first).toMatchObject({ status: 201, body: { entityTypeId: 1224, title: 'Viewing' } });
    expect((await writer.request('POST', path, ask)).body).toEqual(first.body);
    expect((await reader.request('GET', first.headers.get('location')?.replace('/v2', '') ?? '')).body).toEqual(
      first.body,
    );
  });

  it('does not create it again when the outcome is unknown', async () => {
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.item.add' });
    const before = (await sandbox.control.rows('crm', 'items')).count;
    const ask = { body: { fields: { title: 'Viewing' } }, headers: { 'idempotency-key': 'item-2' } };
    expect((await writer.request('POST', path, ask)).status).toBe(502);
    expect((await writer.request('POST', path, ask)).status).toBe(409);
    expect((await sandbox.control.rows('crm', 'items')).count).toBe(before + 1);
  });

  it('returns 422 without fields or for an invalid type', async () => {
    expect((await writer.request('POST', path, { body: { fields: {} } })).status).toBe(422);
    const unknown = await writer.request('POST', '/apps/crm/v1/items/4999', { body: { fields: { title: 'x' } } });
    expect(unknown.status).toBe(404);
  });
});

describe('creating a lead', () => {
  it('returns the id of the person’s open lead', async () => {
    const body = { title: 'First', phones: ['0501112223'] };
    const first = Id.parse((await writer.request('POST', leads, { body })).body);
    const second = Id.parse((await writer.request('POST', leads, { body: { ...body, title: 'Second' } })).body);
    expect(first.duplicateOf).toBeNull();
    expect(second.duplicateOf).toBe(first.id);
    const rejected = await writer.request('POST', leads, { body: { ...body, onDuplicate: 'refuse' } });
    expect(rejected.status).toBe(409);
  });

  it('creates the lead once when the CRM’s response is lost', async () => {
    const before = await leadCount();
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.item.add' });
    const reply = await writer.request('POST', leads, { body: { title: 'Once', phones: ['0501112224'] } });
    expect(reply.status).toBe(201);
    expect(await leadCount()).toBe(before + 1);
  });

  it('returns 422 with all errors', async () => {
    const reply = await writer.request('POST', leads, {
      body: { title: '', phones: ['12'], emails: ['x'], amount: 'much', currency: 'dirham' },
    });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({
      errors: ['/title', '/phones/0', '/emails/0', '/amount', '/currency'].map(pointer => ({ pointer })),
    });
  });
});

describe('an enquiry from a landing page', () => {
  const path = `${leads}/landing-page`;
  const enquiry = {
    name: 'Sara Haddad',
    phone: '050 765 4321',
    message: 'Please call me.',
    page: 'https://example.com/marina',
    consent: true,
    utm: { source: 'instagram', campaign: 'marina-launch' },
    visitorAddress: '198.51.100.7',
  };
  const submit = (body: object) => writer.request('POST', path, { body });

  it('creates a lead with campaign and consent', async () => {
    const { id, duplicateOf } = Id.parse((await submit(enquiry)).body);
    expect(duplicateOf).toBeNull();
    expect((await reader.request('GET', `${leads}/${id}`)).body).toMatchObject({
      firstName: 'Sara',
      lastName: 'Haddad',
      phones: ['+971507654321'],
      page: enquiry.page,
      marketingConsent: true,
      utm: { source: 'instagram', campaign: 'marina-launch', medium: null },
    });
  });

  it('takes and creates the same lead as a request of a program', async () => {
    const shape = { name: 'Omar Said', phone: '050 765 9876', message: 'Call me.', source: 'WEB', title: 'Villa' };
    const taken = Id.parse((await submit({ ...shape, consent: true })).body);
    const made = Id.parse((await writer.request('POST', leads, { body: shape })).body);
    expect(made.duplicateOf).toBe(taken.id);
    for (const { id } of [taken, made])
      expect((await reader.request('GET', `${leads}/${id}`)).body).toMatchObject({
        title: 'Villa',
        firstName: 'Omar',
        lastName: 'Said',
        phones: ['+971507659876'],
        comments: 'Call me.',
      });
  });

  it('rejects two forms of one member', async () => {
    const body = { title: 'x', phone: '050 765 9876', phones: ['050 765 9876'], name: 'x', lastName: 'y' };
    expect(await writer.request('POST', leads, { body })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/name' }, { pointer: '/phone' }] },
    });
  });

  it('adds a note to the person’s open lead', async () => {
    const first = Id.parse((await submit(enquiry)).body);
    const [leadsBefore, commentsBefore] = [await leadCount(), await commentCount()];
    const again = await submit({ ...enquiry, phone: '+971507654321', message: 'Still interested' });
    expect(again).toMatchObject({ status: 201, body: { id: first.id, duplicateOf: first.id } });
    expect([await leadCount(), await commentCount()]).toEqual([leadsBefore, commentsBefore + 1]);
  });

  it('creates one lead for two concurrent requests', async () => {
    const before = await leadCount();
    const replies = await Promise.all([submit(enquiry), submit(enquiry), submit(enquiry)]);
    expect(new Set(replies.map(reply => Id.parse(reply.body).id)).size).toBe(1);
    expect(await leadCount()).toBe(before + 1);
  });

  it('answers more visitors at once than the process has database connections, while the CRM is slow', async () => {
    await sandbox.control.fault('crm', { fault: 'slow', delayMs: 300, times: 1_000 });
    const visitors = Array.from({ length: 30 }, (_, index) => ({
      phone: `+9715076500${String(index).padStart(2, '0')}`,
      visitorAddress: `198.51.100.${index + 20}`,
    }));
    const health = writer.request('GET', '/jobs');
    const replies = await Promise.all(visitors.map(visitor => submit({ ...enquiry, ...visitor })));
    expect(replies.map(({ status }) => status)).toEqual(visitors.map(() => 201));
    expect((await health).status).toBe(200);
  });

  it('does not count enquiries that failed, because they are sent again', async () => {
    await sandbox.control.fault('crm', { fault: 'unauthorized', times: 25 });
    const from = { ...enquiry, visitorAddress: '203.0.113.11' };
    for (let count = 0; count < 25; count += 1) expect((await submit(from)).status).toBe(502);
    expect((await submit(from)).status).toBe(201);
  });

  it.each([
    ['without consent', { consent: false }, '/consent'],
    ['with the hidden field filled in', { website: 'https://spam.example' }, '/website'],
    ['without phone and e-mail', { phone: undefined }, '/phone'],
    ['with an invalid page URL', { page: 'javascript:alert(1)' }, '/page'],
  ])('returns 422 %s', async (_, change, pointer) =>
    expect(await submit({ ...enquiry, ...change })).toMatchObject({ status: 422, body: { errors: [{ pointer }] } }),
  );

  it('returns 429 after 20 enquiries from one address', async () => {
    const from = (visitorAddress: string) => submit({ ...enquiry, visitorAddress });
    for (let count = 0; count < 20; count += 1) expect((await from('203.0.113.9')).status).toBe(201);
    const reply = await from('203.0.113.9');
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('203.0.113.10')).status).toBe(201);
  });
});

describe('matching a user', () => {
  const match = (query: Record<string, string>) =>
    reader.request('GET', `/apps/crm/v1/users/match?${new URLSearchParams(query)}`);
  const fullName = ({ firstName, lastName }: Person) => `${firstName} ${lastName}`;
  const names = people().map(fullName);
  /** A current user with a unique name. */
  const person = people().find(
    one => one.leftOn === undefined && names.filter(name => name === fullName(one)).length === 1,
  );

  it('finds a user by e-mail, phone or name and returns the criterion that matched', async () => {
    const { email = '', phone = '', firstName = '', lastName = '', crmId } = person ?? {};
    expect(await match({ email: email.toUpperCase() })).toMatchObject({
      status: 200,
      body: { matchedBy: 'email', user: { id: crmId, active: true } },
    });
    expect((await match({ phone })).body).toMatchObject({ matchedBy: 'phone', user: { id: crmId } });
    expect((await match({ name: `${lastName} ${firstName}` })).body).toMatchObject({ user: { id: crmId } });
  });

  it('returns 404 without a match and 422 for no or two criteria', async () => {
    expect((await match({ email: 'unknown@example.com' })).status).toBe(404);
    expect((await match({})).status).toBe(422);
    expect((await match({ email: 'a@example.com', name: 'A' })).status).toBe(422);
  });
});

describe('a CRM in simple mode, without leads', () => {
  it('is refused by a new lead and named by the check of the settings, and is used again after a switch', async () => {
    const other = await startTestService('simple mode', { sandboxUrl: sandbox.url });
    try {
      const client = await other.client(['crm:write']);
      const submit = (key: string) =>
        client.request('POST', leads, { body: { title: 'Villa' }, headers: { 'idempotency-key': key } });
      await sandbox.control.settings('crm', { simpleMode: true });
      expect(await submit('simple-1')).toMatchObject({
        status: 503,
        body: { code: 'system-not-configured', detail: expect.stringContaining('simple mode, without leads') },
      });
      expect((await crmSystem.checkSettings(other.systems)).map(({ found }) => found)).toEqual([
        'the CRM is in simple mode, without leads: new leads would become deals',
      ]);
      await sandbox.control.settings('crm', { simpleMode: false });
      expect(await submit('simple-2')).toMatchObject({ status: 201 });
    } finally {
      await sandbox.control.settings('crm', { simpleMode: false });
      await other.close();
    }
  });
});
