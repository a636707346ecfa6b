/**
 * Enquiries of the listing portal: each becomes one lead at the right agent, although events arrive late, three times, in
 * random order and while the CRM fails. `PORTAL_ENQUIRIES=1000 PORTAL_OUTAGE_SECONDS=300` runs the large form.
 */
import { createHmac } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openListingActions } from '../../../../core/domain/portal-events/listing-actions.ts';
import { portalEventTable } from '../../../../core/domain/portal-events/schema.ts';
import { effectTable } from '../../../../core/effects/schema.ts';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { notificationTable } from '../../../../core/notifications/schema.ts';
import contract from '../../../../workers/portal-leads/contract.ts';
import handler from '../../../../workers/portal-leads/handler.ts';
import { useJob } from '../../../support/use-job.ts';

const enquiries = Number(process.env.PORTAL_ENQUIRIES ?? 60);
const outageMs = Number(process.env.PORTAL_OUTAGE_SECONDS ?? 3) * 1_000;
const secret = 'sandbox'.padEnd(32, '0');
const fallbackUser = 7;
const webhook = '/webhooks/listing-portal';

const Lead = z.object({
  ID: z.int(),
  TITLE: z.string(),
  ASSIGNED_BY_ID: z.int(),
  PHONE: z.array(z.object({ VALUE: z.string() })).default([]),
  EMAIL: z.array(z.object({ VALUE: z.string() })).default([]),
  UF_CRM_CONSENT: z.unknown(),
  DATE_CREATE: z.string(),
});
const PortalLead = z.object({
  id: z.string(),
  createdAt: z.string(),
  publicProfile: z.object({ id: z.int() }),
  listing: z.object({ reference: z.string() }).optional(),
  sender: z.object({ name: z.string() }),
});
const Simulated = z.object({ leads: z.array(PortalLead), events: z.int(), refused: z.int() });

const { sandbox, service, client } = useJob('portal enquiries', {
  handler,
  scopes: ['crm:write'],
  circuitPauses: { firstMs: 500, maxMs: 1_000 },
  env: {
    LISTING_PORTAL_FALLBACK_USER: String(fallbackUser),
    NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:9/notifications',
  },
});

beforeEach(async () => {
  for (const system of ['crm', 'listing-portal']) await sandbox.control.reset(system);
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.data('crm', 'leads', 'empty');
  // The ledger still has the leads that the CRM no longer has.
  await service.database.delete(effectTable);
  await service.database.delete(portalEventTable);
  await service.database.delete(notificationTable);
});

const leads = async () => z.array(Lead).parse((await sandbox.control.rows('crm', 'leads', 10_000)).latest);
const comments = async () => (await sandbox.control.rows('crm', 'comments', 1_000)).latest;

async function simulate(body: object) {
  const url = `${service.origin}/v2${webhook}`;
  const response = await fetch(`${sandbox.url}/listing-portal/simulate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, ...body }),
  });
  return Simulated.parse(await response.json());
}

/** Until no job is open. */
const settled = () =>
  vi.waitFor(
    async () => {
      const jobs = await service.database.select({ state: jobTable.state }).from(jobTable);
      expect(jobs.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    },
    { timeout: 240_000 + 2 * outageMs, interval: 200 },
  );

/** The agent that the CRM and the portal have for the enquiry. */
async function expectedAgents() {
  const rows = async <T>(system: string, name: string, row: z.ZodType<T>) =>
    z.array(row).parse((await sandbox.control.rows(system, name, 1_000)).latest);
  const Listing = z.object({ UF_CRM_10_REFERENCE: z.string(), ASSIGNED_BY_ID: z.int() });
  const owners = new Map(
    (await rows('crm', 'listings', Listing)).map(row => [row.UF_CRM_10_REFERENCE, row.ASSIGNED_BY_ID]),
  );
  const users = await rows('crm', 'users', z.object({ ID: z.int(), EMAIL: z.string(), ACTIVE: z.boolean() }));
  const active = users.filter(({ ACTIVE }) => ACTIVE);
  const Agent = z.object({ publicProfile: z.object({ id: z.int(), email: z.string() }) });
  const profiles = await rows('listing-portal', 'users', Agent);
  return ({ listing, publicProfile }: z.infer<typeof PortalLead>) => {
    const owner = active.find(({ ID }) => ID === owners.get(listing?.reference ?? ''));
    const email = profiles.find(profile => profile.publicProfile.id === publicProfile.id)?.publicProfile.email;
    return (owner ?? active.find(user => user.EMAIL.toLowerCase() === email))?.ID ?? fallbackUser;
  };
}

let lastId = 0;
interface Event {
  id?: string;
  type?: string;
  at?: Date;
  lead?: string;
  payload?: object;
}
/** Sends an event with its signature, or another. */
async function send(
  { id = `event-${++lastId}`, type = 'lead.created', at = new Date(), lead = 'A-1', payload }: Event,
  headers?: Record<string, string>,
) {
  const entity = { id: lead, type: 'lead' };
  const body = JSON.stringify({ id, type, timestamp: at.toISOString(), entity, payload, extra: 1 });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const signed = { 'content-type': 'application/json', 'x-signature': signature, ...headers };
  return await client.request('POST', webhook, { body, headers: signed });
}
const sara = (more: object = {}) => ({
  channel: 'whatsapp',
  publicProfile: { id: 90_012 },
  sender: { name: 'Sara Haddad', contacts: [{ type: 'phone', value: '050 123 4561' }] },
  ...more,
});

describe('a webhook', () => {
  it('without a valid signature is rejected and not stored', async () => {
    for (const signature of ['', 'x', '0'.repeat(64)])
      expect(await send({}, { 'x-signature': signature })).toMatchObject({ status: 403 });
    expect(await service.database.$count(portalEventTable)).toBe(0);
  });

  it('of another time is rejected as a replay, although it is signed', async () => {
    for (const days of [-8, 1])
      expect(await send({ at: new Date(Date.now() + days * 86_400_000) })).toMatchObject({ status: 403 });
  });

  it('is stored before the answer and once, however often it is delivered', async () => {
    const event = { id: 'twice', payload: sara() };
    expect((await send(event)).body).toEqual({ event: 'accepted' });
    expect((await send(event)).body).toEqual({ event: 'repeated' });
    await settled();
    expect(await leads()).toHaveLength(1);
  });

  it('with an event that the service does not use is acknowledged', async () =>
    expect((await send({ type: 'listing.publishFailed' })).body).toEqual({ event: 'ignored' }));

  it('with an enquiry in an unexpected form becomes a lead for the fallback user', async () => {
    await send({ payload: { sender: { name: null, contacts: 'none' }, listing: 5, publicProfile: null } });
    await settled();
    expect(await leads()).toMatchObject([{ TITLE: 'Listing portal: enquiry', ASSIGNED_BY_ID: fallbackUser }]);
  });
});

describe('an enquiry', () => {
  it('becomes a lead without consent to marketing, and its personal data is deleted from the event', async () => {
    await send({ payload: sara({ listing: { reference: 'MP-10017' } }) });
    await settled();
    const [lead] = await leads();
    expect(lead).toMatchObject({
      TITLE: 'Listing portal: Sara Haddad, listing MP-10017',
      PHONE: [{ VALUE: '+971501234561' }],
    });
    expect([null, undefined, false, '', 0]).toContain(lead?.UF_CRM_CONSENT);
    expect(await service.database.select().from(portalEventTable)).toMatchObject([{ content: null, leadId: lead?.ID }]);
  });

  it('of a person with an open lead becomes a comment there, found by phone before e-mail', async () => {
    const email = [{ type: 'email', value: 'sara@enquiries.example' }];
    await send({ lead: 'phone', payload: sara() });
    await settled();
    await send({ lead: 'email', payload: sara({ sender: { name: 'Sara', contacts: email } }) });
    await settled();
    const phone = { type: 'phone', value: '+971 50 123 4561' };
    await send({ lead: 'both', payload: sara({ sender: { name: 'S.', contacts: [...email, phone] } }) });
    await settled();
    const [first, second] = await leads();
    expect(await leads()).toHaveLength(2);
    expect(second).toMatchObject({ EMAIL: [{ VALUE: 'sara@enquiries.example' }] });
    expect(await comments()).toMatchObject([
      { ENTITY_ID: first?.ID, COMMENT: expect.stringContaining('Asked again on the listing portal.') },
    ]);
  });

  it('follows a later assignment of the portal, unless a person has assigned the lead', async () => {
    const later = (minutes: number) => new Date(Date.now() + minutes * 60_000 - 600_000);
    const agent = (id: number) => sara({ publicProfile: { id } });
    const assigned = { type: 'lead.assigned', lead: 'A-2' };
    const [one, two, three] = await profilesOf(3);
    await send({ ...assigned, at: later(1), payload: agent(one.profile) });
    await settled();
    expect(await leads()).toMatchObject([{ ASSIGNED_BY_ID: one.user }]);
    await send({ ...assigned, at: later(3), payload: agent(two.profile) });
    await settled();
    await send({ ...assigned, at: later(2), payload: agent(three.profile) });
    await settled();
    const [lead] = await leads();
    expect(lead).toMatchObject({ ASSIGNED_BY_ID: two.user });
    await crmSystem.client(service.systems).leads.update(lead?.ID ?? 0, { assignedUserId: 1 });
    await send({ ...assigned, at: later(4), payload: agent(three.profile) });
    await settled();
    expect(await leads()).toMatchObject([{ ASSIGNED_BY_ID: 1 }]);
  });
});

/** Profiles of agents who work for the firm, with their CRM users. */
async function profilesOf(count: number) {
  const Agent = z.object({ status: z.string(), publicProfile: z.object({ id: z.int(), email: z.string() }) });
  const found = z.array(Agent).parse((await sandbox.control.rows('listing-portal', 'users', 1_000)).latest);
  const agents = found.filter(({ status }) => status === 'active').slice(0, count);
  const expected = await expectedAgents();
  const [one, two, three] = agents.map(({ publicProfile }) => ({
    profile: publicProfile.id,
    user: expected({ id: '', createdAt: '', publicProfile, sender: { name: '' } }),
  }));
  if (!one || !two || !three) throw new Error('too few agents');
  return [one, two, three] as const;
}

describe(`${enquiries} enquiries, each event three times in random order`, () => {
  it('become one lead each at the right agent, although the CRM fails meanwhile', async () => {
    await sandbox.control.fault('crm', { fault: 'error-500', times: 1_000_000 });
    const simulated = simulate({ enquiries, deliveries: 3, withinMs: outageMs });
    await new Promise(resolve => setTimeout(resolve, outageMs));
    const { leads: asked, refused } = await simulated;
    expect(refused).toBe(0);
    expect(await leads()).toEqual([]);
    await sandbox.control.endFaults('crm');
    await settled();
    const expected = await expectedAgents();
    const taken = (await leads()).map(({ TITLE, ASSIGNED_BY_ID: agent }) => ({
      name: /: ([^,]+)/.exec(TITLE)?.[1],
      agent,
    }));
    const wanted = asked.map(lead => ({ name: lead.sender.name, agent: expected(lead) }));
    const byName = (rows: typeof wanted | typeof taken) => new Map(rows.map(({ name, agent }) => [name, agent]));
    expect(taken).toHaveLength(enquiries);
    expect(byName(taken)).toEqual(byName(wanted));
    expect(await comments()).toEqual([]);
  });

  it('are in the CRM within ten seconds of their delivery at the 95th percentile, without an outage', async () => {
    await simulate({ enquiries, deliveries: 3, withinMs: enquiries * 50 });
    await settled();
    const events = await service.database
      .select()
      .from(portalEventTable)
      .where(eq(portalEventTable.type, 'lead.created'));
    const seconds = events
      .map(({ receivedAt, handledAt }) => ((handledAt?.getTime() ?? Number.NaN) - receivedAt.getTime()) / 1_000)
      .sort((one, other) => one - other);
    const p95 = seconds[Math.floor(seconds.length * 0.95)];
    process.stdout.write(`\n delivery to lead: p95 ${p95} s, maximum ${seconds.at(-1)} s, of ${seconds.length}\n`);
    expect(await leads()).toHaveLength(enquiries);
    // The 10 seconds of the requirement, for a machine that is five times slower.
    expect(p95).toBeLessThan(50);
  });
});

describe('a read of the portal’s enquiries', () => {
  const read = async (body: object = {}) => {
    const { id } = await client.requestJob('POST', '/apps/listing-portal/v1/enquiries/read', { body });
    return contract.result.parse((await client.waitForJob(id)).result);
  };

  it('puts those into the CRM that no webhook brought, each once', async () => {
    await simulate({ enquiries: 3, silent: 55 });
    await settled();
    expect(await read({ dryRun: true })).toMatchObject({ read: 58, matched: 3, created: 55 });
    expect(await leads()).toHaveLength(3);
    expect(await read()).toMatchObject({ read: 58, matched: 3, created: 55, failed: 0 });
    expect(await read()).toMatchObject({ read: 58, matched: 58, created: 0 });
    expect(await leads()).toHaveLength(58);
  });

  it('of more than three months ago begins where the portal does', async () =>
    expect(await read({ since: '2020-01-01T00:00:00Z' })).toMatchObject({ read: 0, failed: 0 }));
});

describe('an action at a listing', () => {
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  const action = (id: string, at: Date, payload: object) =>
    send({
      id,
      type: 'listing.action',
      lead: '01KLISTING',
      at,
      payload: { actionType: 'listing_trakheesi_invalid', ...payload },
    });
  const pending = { status: 'pending', expiresAt: days(5.5).toISOString(), listing: { reference: 'MP-10017' } };
  const notified = async () => (await service.database.select().from(notificationTable)).map(({ content }) => content);

  it('notifies operators once, with the listing and the days left, and is open', async () => {
    for (let delivery = 0; delivery < 3; delivery++)
      await action('once', new Date(), { ...pending, expireAction: 'listing_unpublish' });
    expect(await notified()).toMatchObject([
      {
        title: 'Listing MP-10017: the listing portal asks for a correction',
        detail: expect.stringMatching(
          /^listing_trakheesi_invalid: correct it until .* \(5 days left\); then the portal takes the listing down\.$/,
        ),
      },
    ]);
    const [open] = await openListingActions(service.database);
    expect(open).toMatchObject({ listing: 'MP-10017', action: 'listing_trakheesi_invalid' });
    expect(open?.daysLeft).toBeCloseTo(5.5, 1);
  });

  it('that was resolved is not opened by an older event that arrives later', async () => {
    await action('resolved', new Date(), { ...pending, status: 'expired', reason: 'RESOLVED' });
    await action('older', days(-1), pending);
    expect(await openListingActions(service.database)).toEqual([]);
    expect(await notified()).toEqual([]);
  });
});
