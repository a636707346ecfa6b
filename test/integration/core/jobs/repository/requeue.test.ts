/** Jobs are put back to queued: failed and cancelled ones to run again, held ones to carry out their plan. */

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import type { PlannedChanges, PlannedRow } from '../../../../../core/jobs/record.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { unlessExclusive } from '../../../../../core/jobs/repository/requeue.ts';
import { jobTable } from '../../../../../core/jobs/schema.ts';
import { auditTable } from '../../../../../core/postgres/schema.ts';
import { readPlan } from '../../../../support/held-plan.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('requeue');
const records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });

const operator = { kind: 'operator', name: 'someone', requestId: 'request-1' } as const;
const warnings = [{ pointer: '/list/0', detail: 'A photo is missing.' }];
const progress = { stage: 'done', done: 1, total: 1, percent: 100 };
const error = { type: 'urn:x', title: 'Failed', status: 500, detail: 'It failed.' };
const plan = { delete: ['a'] };

const create = (exclusiveKey?: string) =>
  records.create({
    id: newJobId('trial'),
    kind: 'trial',
    clientId: 'portal',
    payload: {},
    attemptsMax: 3,
    exclusiveKey,
  });
async function jobIn(state: string, exclusiveKey?: string): Promise<string> {
  const { id } = await create(exclusiveKey);
  await setState(id, state);
  return id;
}
const setState = (id: string, state: string, change: object = {}) =>
  database
    .update(jobTable)
    .set({ ...change, state: sql`${state}` })
    .where(eq(jobTable.id, id));
/** A job that was held after its second attempt. */
async function held(exclusiveKey?: string): Promise<string> {
  const { id } = await create(exclusiveKey);
  const run = { jobId: id, runId: randomUUID() };
  await records.begin(run, 2);
  await records.saveProgress(run, progress);
  await records.saveCheckpoint(run, { page: 3 });
  await records.hold(run, { result: { deleted: 1 }, plan, changes: () => [], warnings, sandboxes: [] });
  return id;
}
const audited = (id: string) =>
  database
    .select()
    .from(auditTable)
    .where(eq(auditTable.target, `/jobs/${id}`));

describe('a retried job', () => {
  it.each(['failed', 'cancelled'])('that has %s begins as if it were new', async state => {
    const [{ id }, other] = [await create(), await jobIn(state)];
    await setState(id, state, {
      attemptsMade: 3,
      runId: randomUUID(),
      progress,
      result: { pages: 2 },
      error,
      warnings,
      resultFile: { key: 'a', contentType: 'application/pdf', fileName: 'a.pdf', bytes: 1, sha256: 'b' },
      resultExpiresAt: new Date(),
      startBy: new Date(),
      cancelRequestedAt: new Date(),
      startedAt: new Date(),
      finishedAt: new Date(),
      touchedAt: new Date(0),
    });
    expect(await records.requeue(id)).toMatchObject({
      id,
      state: 'queued',
      attemptsMade: 0,
      attemptsMax: 3,
      progress: null,
      result: null,
      resultFile: null,
      resultExpiresAt: null,
      error: null,
      warnings: [],
      cancelRequestedAt: null,
      startedAt: null,
      finishedAt: null,
      startBy: null,
    });
    const [row] = await database.select().from(jobTable).where(eq(jobTable.id, id));
    expect(row).toMatchObject({ runId: null });
    expect(Date.now() - (row?.touchedAt.getTime() ?? 0)).toBeLessThan(60_000);
    expect(await records.find(other)).toMatchObject({ state });
  });

  it.each(['queued', 'scheduled', 'running', 'held', 'succeeded'])('must not be %s', async state => {
    const id = await jobIn(state);
    expect(await records.requeue(id, operator)).toBeUndefined();
    expect(await records.find(id)).toMatchObject({ state });
    expect(await audited(id)).toEqual([]);
  });

  it('must exist', async () => expect(await records.requeue('trial_unknown')).toBeUndefined());

  it('may have succeeded when the caller allows it', async () => {
    const id = await jobIn('succeeded');
    expect(await records.requeue(id, undefined, ['succeeded'])).toMatchObject({ state: 'queued' });
    expect(await records.requeue(await jobIn('failed'), undefined, ['succeeded'])).toBeUndefined();
  });

  it('is recorded with its earlier state when the request is not of its own client', async () => {
    const [own, operators] = [await jobIn('failed'), await jobIn('cancelled')];
    await records.requeue(own);
    await records.requeue(operators, operator);
    expect(await audited(own)).toEqual([]);
    expect(await audited(operators)).toMatchObject([
      {
        action: 'jobs.retry',
        actorKind: 'operator',
        actor: 'someone',
        requestId: 'request-1',
        before: { state: 'cancelled' },
        after: { state: 'queued' },
      },
    ]);
  });

  it('continues with its released plan after a failure, but makes a new one after a cancellation', async () => {
    const retried = async (state: string) => {
      const id = await held();
      await records.release(id, operator);
      await setState(id, state);
      await records.requeue(id);
      return (await readPlan(records, id))?.plan;
    };
    expect(await retried('failed')).toEqual(plan);
    expect(await retried('cancelled')).toBeUndefined();
  });

  it('waits while another job with its exclusive key is open', async () => {
    const id = await jobIn('failed', 'deals');
    const open = await create('deals');
    await expect(records.requeue(id)).rejects.toMatchObject({
      code: 'conflict',
      retryAfterSeconds: 10,
      message: 'Another job that does the same work is open; repeat the request when it has ended.',
    });
    expect(await records.find(id)).toMatchObject({ state: 'failed' });
    await records.requestCancel(open.id);
    expect(await records.requeue(id)).toMatchObject({ state: 'queued' });
  });
});

describe('a released job', () => {
  it('is queued with its plan, its checkpoint and the name of the person', async () => {
    const [id, other] = [await held(), await held()];
    await setState(id, 'held', { touchedAt: new Date(0) });
    expect(await records.release(id, operator)).toMatchObject({
      id,
      state: 'queued',
      attemptsMade: 0,
      result: null,
      warnings: [],
      progress: null,
      released: { by: 'someone', at: expect.any(String) },
    });
    const found = await readPlan(records, id);
    expect(found).toMatchObject({ plan, released: { by: 'someone', at: expect.any(String) } });
    expect(Date.now() - Date.parse(found?.released?.at ?? '')).toBeLessThan(60_000);
    expect(await records.checkpoint(id)).toEqual({ page: 3 });
    expect(await audited(id)).toMatchObject([
      { action: 'jobs.release', actor: 'someone', before: { state: 'held' }, after: { state: 'queued' } },
    ]);
    expect((await records.findStale(20_000, 10)).map(stale => stale.id)).not.toContain(id);
    expect(await records.find(other)).toMatchObject({ state: 'held' });
    expect(await records.plan(other)).toMatchObject({ released: null });
  });

  it.each(['queued', 'scheduled', 'running', 'succeeded', 'failed', 'cancelled'])('must not be %s', async state => {
    const id = await held();
    await setState(id, state);
    expect(await records.release(id, operator)).toBeUndefined();
    expect(await records.find(id)).toMatchObject({ state });
    expect(await records.plan(id)).toMatchObject({ released: null });
    expect(await audited(id)).toEqual([]);
  });

  it('waits while another job with its exclusive key is open', async () => {
    const id = await held('locations');
    await create('locations');
    await expect(records.release(id, operator)).rejects.toMatchObject({ code: 'conflict', retryAfterSeconds: 10 });
    expect(await records.plan(id)).toMatchObject({ released: null });
  });
});

describe('the plan of a job', () => {
  it('is read in parts, its changes in pages; a list has the first of them', async () => {
    const { id } = await create();
    const run = { jobId: id, runId: randomUUID() };
    await records.begin(run, 1);
    const items = Array.from({ length: 30_000 }, (_, index) => ({
      key: String(index),
      name: `Größe ${index} `.repeat(12),
    }));
    const changes: PlannedChanges[] = [
      { outcome: 'created', reason: 'New.', items },
      { outcome: 'deleted', reason: 'Gone.', items: [] },
      { outcome: 'updated', reason: 'Changed.', items: [{ key: 'a', name: 'A', detail: 'b' }] },
    ];
    await records.hold(run, { result: {}, plan: { items }, changes: () => changes, warnings: [], sandboxes: [] });
    const held = await records.plan(id);
    if (!held) throw new Error('the plan is missing');
    expect(held.changes).toEqual(
      changes.map(group => ({ ...group, items: group.items.slice(0, 500), total: group.items.length })),
    );
    expect(await readPlan(records, id)).toMatchObject({ plan: { items }, changes, released: null });
    const parts = await Readable.from(records.planParts(id, held)).toArray();
    expect(parts.length).toBeGreaterThan(5);
    const pages: PlannedRow[][] = await Readable.from(records.plannedRows(id)).toArray();
    expect(pages.map(({ length }) => length)).toEqual([20_000, 10_001]);
    expect(pages.flat().at(-1)).toEqual({ outcome: 'updated', reason: 'Changed.', key: 'a', name: 'A', detail: 'b' });
    await expect(Readable.from(records.planParts(id, { ...held, heldAt: new Date(0) })).toArray()).rejects.toThrow(
      'replaced',
    );
  });

  it('is undefined for a job that was never held', async () =>
    expect(await records.plan(await jobIn('queued'))).toBeUndefined());

  it.each([['a text'], [null], [[1, 2]]])('may be %j', async value => {
    const { id } = await create();
    const run = { jobId: id, runId: randomUUID() };
    await records.begin(run, 1);
    await records.hold(run, { result: {}, plan: value, changes: () => [], warnings: [], sandboxes: [] });
    expect((await readPlan(records, id))?.plan).toEqual(value);
  });
});

it('other errors of a change are not taken for a conflict', async () => {
  const id = await jobIn('queued');
  const twice = () =>
    database.insert(jobTable).values({ id, kind: 'trial', clientId: 'a', payload: {}, attemptsMax: 1 });
  await expect(unlessExclusive(async () => await twice())).rejects.toThrow('Failed query');
  await expect(unlessExclusive(() => Promise.reject(new Error('It broke.')))).rejects.toThrow('It broke.');
  await expect(unlessExclusive(() => Promise.reject('a text'))).rejects.toBe('a text');
});
