/** The outbox of callbacks: due ones are claimed for one try, and its outcome is recorded. */
import { asc, eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CallbackOutbox,
  createCallbackOutbox,
  type DueCallback,
  insertCallback,
} from '../../../../core/callbacks/outbox.ts';
import { jobCallbackTable as callback } from '../../../../core/callbacks/schema.ts';
import { newJobId } from '../../../../core/jobs/contract.ts';
import { createJobEvents } from '../../../../core/jobs/repository/events.ts';
import { createJobRecords } from '../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('callback outbox');
const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback });
const events = createJobEvents(database);
const outbox = createCallbackOutbox(database);

beforeEach(() => database.delete(jobTable));

const url = 'https://receiver.example/hook';
const open = (clientId = 'portal') =>
  records.create({ id: newJobId('trial'), kind: 'trial', clientId, payload: {}, attemptsMax: 1, callbackUrl: url });
/** A cancelled job, whose callback was due this many seconds ago. */
async function due(secondsAgo = 10, clientId = 'portal'): Promise<string> {
  const { id } = await open(clientId);
  await records.requestCancel(id);
  await setDue(id, secondsAgo);
  return id;
}
const setDue = (id: string, secondsAgo: number) =>
  database
    .update(callback)
    .set({ nextTryAt: sql`now() - ${secondsAgo} * interval '1 second'` })
    .where(eq(callback.jobId, id));
const claim = (limit = 20, bounds: Partial<Parameters<CallbackOutbox['claim']>[1]> = {}) =>
  outbox.claim(limit, { perClient: 5, inProgress: {}, leaseSeconds: 60, ...bounds });
const ids = async (...given: Parameters<typeof claim>) => (await claim(...given)).map(({ jobId }) => jobId).sort();
const row = async (id: string) => (await database.select().from(callback).where(eq(callback.jobId, id)))[0];
const only = ([one]: DueCallback[]): DueCallback => {
  if (!one) throw new Error('no callback is due');
  return one;
};

describe('a callback', () => {
  it('is due from the end of its job on', async () => {
    const { id } = await open();
    expect(await claim()).toEqual([]);
    await records.requestCancel(id);
    const end = (await events.changesAfter(id, 0, 10)).at(-1);
    expect(end?.type).toBe('cancelled');
    expect(await claim()).toEqual([{ jobId: id, clientId: 'portal', url, eventId: end?.id, tries: 1 }]);
  });

  it('is claimed for one try; after the lease of a process that died, for a further one', async () => {
    const id = await due();
    expect(await ids()).toEqual([id]);
    expect(await ids()).toEqual([]);
    const left = ((await row(id))?.nextTryAt?.getTime() ?? 0) - Date.now();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_500);
    await setDue(id, 1);
    expect(await claim()).toMatchObject([{ jobId: id, tries: 2 }]);
  });

  it('that is not due yet waits', async () => {
    const [next, later] = [await due(1), await due(-60)];
    expect(await ids()).toEqual([next]);
    expect((await row(later))?.tries).toBe(0);
  });

  it('is not claimed while its job runs again', async () => {
    const id = await due();
    await records.requeue(id);
    await setDue(id, 1);
    expect(await claim()).toEqual([]);
  });

  it('is claimed by one of several processes', async () => {
    for (const _ of [1, 2, 3, 4]) await due();
    const claimed = await Promise.all([claim(), claim(), claim()]);
    expect(claimed.flat().map(({ tries }) => tries)).toEqual([1, 1, 1, 1]);
  });
});

describe('due callbacks', () => {
  it('are claimed up to a limit, the ones that wait longest first', async () => {
    const [first, last, second] = [await due(90), await due(10), await due(60)];
    expect(await ids(2)).toEqual([first, second].sort());
    expect(await ids(2)).toEqual([last]);
  });

  it('of one client are claimed up to its limit, others all the same', async () => {
    const own = [await due(90), await due(80), await due(70)];
    const other = await due(10, 'chat-bot');
    expect(await ids(20, { perClient: 2 })).toEqual([...own.slice(0, 2), other].sort());
  });

  it('of a client count together with those in progress', async () => {
    const [first, other] = [await due(90), await due(10, 'chat-bot')];
    await due(80);
    const inProgress = { portal: 2, 'chat-bot': 1 };
    expect(await ids(20, { perClient: 3, inProgress })).toEqual([first, other].sort());
    expect(await ids(20, { perClient: 3, inProgress: { portal: 3 } })).toEqual([]);
  });
});

describe('the outcome of a try', () => {
  const at = '2030-01-31T08:00:00.000Z';

  it.each([
    ['delivered', { status: 204, error: null, nextTryAt: null }, { lastError: null, nextTryAt: null }],
    ['pending', { status: 500, error: 'broke', nextTryAt: at }, { lastError: 'broke', nextTryAt: new Date(at) }],
    ['failed', { status: null, error: 'broke', nextTryAt: null }, { lastError: 'broke', nextTryAt: null }],
  ])('is %s', async (state, outcome, expected) => {
    const [id, other] = [await due(), await due()];
    const claimed = only((await claim()).filter(({ jobId }) => jobId === id));
    await outbox.settle(claimed, { try: 1, ...outcome });
    const settled = await row(id);
    expect(settled).toMatchObject({ state, tries: 1, lastStatus: outcome.status, ...expected });
    expect(settled?.deliveredAt).toEqual(state === 'delivered' ? expect.any(Date) : null);
    expect(await row(other)).toMatchObject({ state: 'pending', lastStatus: null });
    const timeline = await events.timeline(id, 0, 100);
    expect(timeline.at(-1)).toMatchObject({ type: 'callback-tried', data: { try: 1, ...outcome } });
  });

  it.each<[string, Partial<DueCallback>]>([
    ['that another process has repeated', { tries: 1 }],
    ['for an earlier end of the job', { eventId: 1 }],
    ['for another job', { jobId: 'trial_unknown' }],
  ])('%s is ignored', async (_, difference) => {
    const id = await due();
    await claim();
    await setDue(id, 1);
    const claimed = only(await claim());
    expect(claimed.tries).toBe(2);
    const before = await row(id);
    await outbox.settle({ ...claimed, ...difference }, { try: 2, status: 500, error: 'broke', nextTryAt: null });
    expect(await row(id)).toEqual(before);
    const types = (await events.timeline(id, 0, 100)).map(({ type }) => type);
    expect(types).not.toContain('callback-tried');
  });
});

describe('the latest tries', () => {
  it('are those of one job, newest first, up to a limit', async () => {
    const [id, other] = [await due(), await due()];
    const tries = [1, 2, 3].map(one => ({ try: one, status: 500, error: 'broke', nextTryAt: null }));
    for (const tried of tries) await events.add([id], 'callback-tried', tried);
    await events.add([other], 'callback-tried', { ...tries[0], status: 404 });
    await events.add([id], 'result-downloaded', {});
    const at = expect.any(Date);
    expect(await outbox.latestTries(id, 2)).toEqual([
      { at, ...tries[2] },
      { at, ...tries[1] },
    ]);
    expect(await outbox.latestTries(other, 10)).toMatchObject([{ try: 1, status: 404 }]);
    expect(await outbox.latestTries('trial_unknown', 10)).toEqual([]);
  });
});

describe('a callback that is sent again', () => {
  const operator = { kind: 'operator', name: 'someone' } as const;

  it.each([
    ['delivered', null],
    ['failed', 'broke'],
  ])('after it was %s is due at once, with all its tries and the same message', async (state, error) => {
    const [id, other] = [await due(), await due()];
    const claimed = await claim();
    for (const one of claimed) await outbox.settle(one, { try: 1, status: 200, error, nextTryAt: null });
    expect(await row(id)).toMatchObject({ state });
    expect(await outbox.sendAgain(id, operator)).toBe(true);
    const before = claimed.find(({ jobId }) => jobId === id);
    expect(await row(id)).toMatchObject({ state: 'pending', tries: 0 });
    expect(await row(other)).toMatchObject({ state, tries: 1 });
    expect(await claim()).toEqual([{ ...before, tries: 1 }]);
    const last = (await events.timeline(id, 0, 100)).at(-1);
    expect(last).toMatchObject({ type: 'callback-requested', data: { by: 'someone' } });
    expect(
      await database
        .select()
        .from(auditTable)
        .where(eq(auditTable.target, `/jobs/${id}`)),
    ).toMatchObject([
      {
        action: 'jobs.sendCallback',
        actorKind: 'operator',
        actor: 'someone',
        before: { state, tries: 1 },
        after: { state: 'pending', tries: 0 },
      },
    ]);
  });

  it('must belong to a job that has ended', async () => {
    const { id } = await open();
    expect(await outbox.sendAgain(id, operator)).toBe(false);
    expect(await outbox.sendAgain('trial_unknown', operator)).toBe(false);
    expect(await claim()).toEqual([]);
    expect(await database.$count(auditTable, eq(auditTable.target, `/jobs/${id}`))).toBe(0);
  });
});

it('each job has its own callback', async () => {
  const [one, other] = [await open(), await open()];
  const rows = await database
    .select({ jobId: callback.jobId, url: callback.url })
    .from(callback)
    .orderBy(asc(callback.jobId));
  expect(rows).toEqual([one.id, other.id].sort().map(jobId => ({ jobId, url })));
});
