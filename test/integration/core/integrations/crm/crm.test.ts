/** The CRM connector against the simulated CRM: our methods and types, and no effect twice. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import crmSystem, { type Crm } from '../../../../../core/integrations/crm/system.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../../../../core/integrations/kit/context.ts';
import { useSandbox } from '../../../../support/sandbox.ts';

const sandbox = useSandbox();
let crm: Crm;
let log = '';

beforeAll(async () => {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  crm = openClient();
});

/** Without rate limits, which another test covers. */
function openClient(): Crm {
  const stream = new Writable({
    write(chunk, _, done) {
      log += chunk;
      done();
    },
  });
  return crmSystem.client(
    openIntegrationContext({
      env: {},
      sandboxUrl: sandbox.url,
      budgets: { take: async () => undefined, block: async () => {} },
      logger: pino({ level: 'trace' }, stream),
    }),
  );
}

const impatient = <T>(work: () => Promise<T>): Promise<T> => withCallContext({ priority: 'interactive' }, work);
const anyId = async (collection: string): Promise<number> => {
  const { latest } = await sandbox.control.rows('crm', collection);
  return z.array(z.looseObject({ ID: z.int() })).parse(latest)[0]?.ID ?? 0;
};
const callsOf = async (method: string): Promise<number> => {
  const { byPath } = await sandbox.control.requests('crm');
  return Object.entries(byPath).reduce((sum, [path, count]) => (path.endsWith(`/${method}`) ? sum + count : sum), 0);
};

describe('leads', () => {
  const lead = {
    title: 'Viewing of MP-S-2041',
    firstName: 'Noura',
    phones: ['+971501112233'],
    emails: ['noura@example.com'],
    amount: '1250000.50',
    currency: 'AED',
    utm: { source: 'sms', campaign: 'palm' },
    originatorId: 'test',
    marketingConsent: true,
    country: 'AE',
  };

  it('are created, found by origin, read, changed, and found by phone and e-mail', async () => {
    const id = await crm.leads.add({ ...lead, originId: 'one' });
    expect(await crm.leads.findByOrigin({ originatorId: 'test', originId: 'one' })).toBe(id);
    expect(await crm.leads.findByOrigin({ originatorId: 'test', originId: 'none' })).toBeUndefined();
    expect(await crm.leads.get(id)).toMatchObject({ ...lead, id, originId: 'one', outcome: 'open' });

    expect(await crm.leads.update(id, { status: 'JUNK', firstName: null, dncStatus: 'listed' })).toBe(true);
    expect(await crm.leads.get(id)).toMatchObject({ ...lead, firstName: null, outcome: 'lost', dncStatus: 'listed' });
    const found = await crm.leads.duplicates({ phones: lead.phones, emails: ['unknown@example.com'] });
    expect(found.leads).toContain(id);
    expect(await crm.leads.duplicates({ emails: ['unknown@example.com'] })).toEqual({
      leads: [],
      contacts: [],
      companies: [],
    });
  });

  it('that do not exist are undefined or false, not an error', async () => {
    expect(await crm.leads.get(999_999)).toBeUndefined();
    expect(await crm.leads.update(999_999, { comments: 'unknown' })).toBe(false);
    expect(await crm.leads.productRows(999_999)).toBeUndefined();
  });

  it('are changed 50 a request, each with an outcome; text like a reference stays text', async () => {
    const id = await anyId('leads');
    const texts = ['costs $result[a][ID] & more = ü', '$RESULT[set0][ID]', '$ Result\n[set0]'];
    const changes = Array.from({ length: 60 }, (_, index) => ({
      id: index === 55 ? 999_999 : id,
      change: { comments: `${index}` },
    }));
    const before = await callsOf('batch');
    const texted = texts.map(comments => ({ id, change: { comments } }));
    const outcomes = await crm.leads.updateMany([...changes, ...texted.slice(0, 1)]);
    expect(await callsOf('batch')).toBe(before + 2);
    expect(outcomes).toHaveLength(61);
    expect(outcomes[55]).toEqual({ id: 999_999, outcome: 'not-found' });
    expect(outcomes.filter(({ outcome }) => outcome === 'updated')).toHaveLength(60);
    for (const { change } of texted) {
      await crm.leads.updateMany([{ id, change }]);
      expect(await crm.leads.get(id)).toMatchObject(change);
    }
  });

  it('have comments on their timeline, newest first', async () => {
    const id = await anyId('leads');
    const first = await crm.leads.addComment(id, 'called');
    const second = await crm.leads.addComment(id, 'called again');
    expect(await crm.leads.comments(id)).toMatchObject([
      { id: second, text: 'called again' },
      { id: first, text: 'called' },
    ]);
  });

  it('are not created twice when the answer is lost; they can be looked up', async () => {
    const before = await callsOf('crm.item.add');
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.item.add' });
    await expect(crm.leads.add({ ...lead, originId: 'lost' })).rejects.toMatchObject({ maybeExecuted: true });
    expect(await callsOf('crm.item.add')).toBe(before + 1);
    expect(await crm.leads.findByOrigin({ originatorId: 'test', originId: 'lost' })).toEqual(expect.any(Number));
  });

  it('get no phone twice when the answer is lost; changes that only set fields are retried', async () => {
    const id = await anyId('leads');
    const before = await crm.leads.get(id);
    const drop = () => sandbox.control.fault('crm', { fault: 'drop-after-commit' });
    await drop();
    await expect(crm.leads.update(id, { phones: ['+971501119999'], comments: 'called' })).rejects.toMatchObject({
      maybeExecuted: true,
    });
    await drop();
    await expect(crm.leads.updateMany([{ id, change: { emails: ['once@example.com'] } }])).rejects.toMatchObject({
      maybeExecuted: true,
    });
    expect(await crm.leads.get(id)).toMatchObject({
      phones: [...(before?.phones ?? []), '+971501119999'],
      emails: [...(before?.emails ?? []), 'once@example.com'],
      comments: 'called',
    });
    await drop();
    expect(await crm.leads.updateMany([{ id, change: { comments: 'called twice' } }])).toEqual([
      { id, outcome: 'updated' },
    ]);
  });

  it('are created once after an answer that the rate limit was exceeded', async () => {
    const before = (await sandbox.control.rows('crm', 'leads')).count;
    await sandbox.control.fault('crm', { fault: 'limit', path: 'crm.item.add' });
    await crm.leads.add({ ...lead, originId: 'busy' });
    expect((await sandbox.control.rows('crm', 'leads')).count).toBe(before + 1);
  });
});

describe('users', () => {
  it('include dismissed ones, and are found by phone, e-mail and name in any spelling', async () => {
    const users = await crm.users.all();
    expect(users).toHaveLength(300);
    expect(users.filter(({ active }) => !active)).toHaveLength(60);
    const dismissed = users.find(({ active, phones, email }) => !active && phones.length > 0 && email !== null);
    if (!dismissed) throw new Error('no user was dismissed');
    const { id, email, firstName, lastName } = dismissed;
    const digits = dismissed.phones[0]?.replace(/\D/g, '').slice(-9);
    expect(await crm.users.get(id)).toEqual(dismissed);
    expect(await crm.users.find({ email: ` ${email?.toUpperCase()}` })).toEqual([dismissed]);
    expect(await crm.users.find({ phone: `00 971 (${digits?.slice(0, 2)}) ${digits?.slice(2)}` })).toContainEqual(
      dismissed,
    );
    expect(await crm.users.find({ name: `${lastName}, ${firstName?.toUpperCase()}` })).toContainEqual(dismissed);
    expect(await crm.users.find({ name: 'Unknown Person' })).toEqual([]);
    expect(await crm.users.find({ phone: '123' })).toEqual([]);
    expect(await crm.users.get(999_999)).toBeUndefined();
  });
});

describe('items, products and locations', () => {
  it('items are read and created; an unknown item or type is not a failure', async () => {
    const item = await crm.items.add(1224, { title: 'Viewing', assignedById: 5 });
    expect(await crm.items.get(1224, item.id)).toMatchObject({ title: 'Viewing', fields: { assignedById: 5 } });
    expect(await crm.items.get(1224, 999_999)).toBeUndefined();
    await expect(crm.items.add(9_999, { title: 'Nothing' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('products are read', async () => {
    const id = await anyId('products');
    expect(await crm.products.get(id)).toMatchObject({ id, price: expect.stringMatching(/^\d+\.\d\d$/), active: true });
    expect(await crm.products.get(999_999)).toBeUndefined();
  });

  it('locations are created singly and 50 a request, found, and changed', async () => {
    const location = {
      title: 'Test Tower, Dubai',
      type: 'property',
      parentId: 1,
      portalId: 'T1',
      nameAr: null,
    } as const;
    const one = await crm.locations.add(location);
    expect(one).toMatchObject({ ...location, name: 'Test Tower' });
    expect(await crm.locations.findByPortalId('T1')).toEqual([one]);
    const changes = [one.id, 99_999_999].map(id => ({ id, change: { portalId: 'T2' } }));
    expect(await crm.locations.updateSome(changes)).toEqual(['updated', 'not-found']);
    expect(await crm.locations.get(one.id)).toMatchObject({ portalId: 'T2' });

    const many = Array.from({ length: 50 }, (_, index) => ({ ...location, portalId: `M${index}` }));
    const added = await crm.locations.addSome(many);
    expect(added.filter(outcome => 'id' in outcome)).toHaveLength(50);
    expect(await crm.locations.findByPortalId('M49')).toHaveLength(1);
  });
});

describe('batches of which the CRM does not execute some commands', () => {
  const failCommands = (path: string, rule: { skip?: number; times?: number; code?: string }) =>
    sandbox.control.fault('crm', { fault: 'command-error', path, delayMs: 1, ...rule });

  it.each(['INTERNAL_SERVER_ERROR', 'OPERATION_TIME_LIMIT'])('read complete lists (%s)', async code => {
    for (const skip of [0, 7]) await failCommands('crm.item.list', { skip, times: 2, code });
    const deals: number[] = [];
    for await (const { rows } of crm.deals.read()) deals.push(...rows.map(({ id }) => id));
    const stored = z.array(z.looseObject({ ID: z.int(), CATEGORY_ID: z.int() }));
    const { latest } = await sandbox.control.rows('crm', 'deals', 10_000);
    expect(deals).toEqual(stored.parse(latest).flatMap(({ ID, CATEGORY_ID }) => (CATEGORY_ID < 2 ? ID : [])));

    await failCommands('user.get', { skip: 2, times: 3, code });
    expect(await crm.users.all()).toHaveLength(300);
    await failCommands('crm.category.list', { code });
    expect((await crm.deals.stages()).length).toBeGreaterThan(5);
  });

  it('find all leads and duplicates, and change all locations', async () => {
    const idsOf = async (collection: string) => {
      const { latest } = await sandbox.control.rows('crm', collection, 20);
      return z
        .array(z.looseObject({ ID: z.int() }))
        .parse(latest)
        .map(({ ID }) => ID);
    };
    const leadIds = await idsOf('leads');
    await failCommands('crm.item.get', { skip: 5, times: 10, code: 'QUERY_LIMIT_EXCEEDED' });
    expect([...(await crm.leads.getMany(leadIds)).keys()].sort()).toEqual(leadIds);

    const id = await crm.leads.add({ title: 'Twin', phones: ['+971550029103'] });
    await failCommands('crm.duplicate.findbycomm', {});
    expect((await crm.leads.duplicates({ phones: ['+971550029103'] })).leads).toEqual([id]);

    const changes = (await idsOf('locations')).map(location => ({
      id: location,
      change: { portalId: `S${location}` },
    }));
    await failCommands('crm.item.update', { times: 2, code: 'OPERATION_TIME_LIMIT' });
    expect(await crm.locations.updateSome(changes)).toEqual(changes.map(() => 'updated'));
    expect(await crm.locations.get(changes[0]?.id ?? 0)).toMatchObject(changes[0]?.change ?? {});
  });

  it('a read of several records that the CRM rejects is not repeated, by no attempt of a job', async () => {
    await failCommands('crm.item.get', { code: 'insufficient_scope' });
    const before = await callsOf('batch');
    const read = crm.leads.getMany([await anyId('leads')]);
    await expect(read).rejects.toMatchObject({ transient: false, failure: { code: 'insufficient_scope' } });
    expect(await callsOf('batch')).toBe(before + 1);
  });
});

describe('limits and secrets', () => {
  it('a method without run time left is not called; other methods are', async () => {
    await sandbox.control.settings('crm', { operatingLimitSeconds: 0.5 });
    const client = openClient();
    const ask = () => impatient(() => client.users.get(1));
    for (let call = 0; call < 40; call++) await ask().catch(() => undefined);
    const before = await callsOf('user.get');
    await expect(ask()).rejects.toMatchObject({ status: 503, maybeExecuted: false });
    expect(await callsOf('user.get')).toBe(before);
    const lead = await anyId('leads');
    expect(await impatient(() => client.leads.get(lead))).toBeDefined();
    await sandbox.control.settings('crm', { operatingLimitSeconds: 0 });
  });

  it('the secret in the URL is in no log and no error', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', times: 3 });
    const error: unknown = await impatient(() => openClient().users.get(1)).catch(thrown => thrown);
    expect(error).toMatchObject({ status: 502 });
    expect(log).toContain('/user.get');
    const { message, cause } = z.object({ message: z.string(), cause: z.unknown().optional() }).parse(error);
    expect(`${log}${message}${cause}`).not.toMatch(/rest\/1/);
  });
});
