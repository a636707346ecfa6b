/** Result cache: a job is inserted as succeeded with the result of an earlier job with the same payload. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import { createJobRecords, type JobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../../core/jobs/schema.ts';
import type { Database } from '../../../../../core/postgres/client.ts';
import { withLogContext } from '../../../../../core/telemetry/log-context.ts';
import { jobsAccepted, jobsEnded } from '../../../../../core/telemetry/meter.ts';
import { openTestDatabase } from '../../../../support/test-database.ts';

let close: () => Promise<void>;
let database: Database;
let records: JobRecords;
/** The payload of a test. */
let payload: { list: string };
/** The job with a reusable result. */
let source: string;

beforeAll(async () => {
  ({ database, close } = await openTestDatabase('result cache'));
  records = createJobRecords(database, { resultRetentionHours: 72, insertCallback });
});
afterAll(() => close?.());
beforeEach(async () => {
  await records.setCacheVersion('pdf', 'first');
  payload = { list: randomUUID() };
  source = await succeeded();
});

const warnings = [{ pointer: '/list/0', detail: 'A photo is missing.' }];
const progress = { stage: 'done', done: 1, total: 1, percent: 100 };
const fileOf = (key: string) => ({
  ...{ key, contentType: 'application/pdf', fileName: 'a.pdf' },
  ...{ bytes: 1, sha256: 'b' },
});
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

/** A job whose result is reusable for ten minutes. */
async function succeeded(minutes = 10, { kind = 'pdf', cacheVersion = 'first' } = {}): Promise<string> {
  const { id } = await records.create({ id: newJobId(kind), kind, clientId: 'portal', payload, attemptsMax: 3 });
  const run = { jobId: id, runId: randomUUID() };
  await records.begin(run, 2);
  await records.succeed(run, {
    ...{ progress, result: { pages: 2 }, file: fileOf(id), warnings, sandboxes: ['crm'], supersedes: false },
    reusable: { until: inMinutes(minutes), cacheVersion },
  });
  return id;
}
const set = (change: object, id = source) => database.update(jobTable).set(change).where(eq(jobTable.id, id));
const reuse = (
  given: { id?: string; payload?: unknown; kind?: string; startBy?: Date } = {},
  isStored = async (_key: string) => true,
) => {
  const kind = given.kind ?? 'pdf';
  return records.reuse({ id: newJobId(kind), kind, clientId: 'chat-bot', payload, ...given }, isStored);
};
const reusedFrom = async (...given: Parameters<typeof reuse>) => (await reuse(...given))?.reusedFrom;

describe('a job with a known result', () => {
  it('is inserted as succeeded, with everything of the result', async () => {
    const startBy = inMinutes(5);
    const id = newJobId('pdf');
    const reused = await withLogContext({ requestId: 'request-1' }, () => reuse({ id, startBy }));
    expect(reused).toMatchObject({
      ...{ id, kind: 'pdf', clientId: 'chat-bot', state: 'succeeded', payload, requestId: 'request-1', startBy },
      ...{ result: { pages: 2 }, resultFile: fileOf(source), warnings, progress, sandboxes: ['crm'] },
      ...{ attemptsMade: 0, attemptsMax: 3, reusedFrom: source, fairOrder: 1 },
      ...{ startedAt: null, cancelRequestedAt: null, error: null, callback: null, released: null },
      ...{ finishedAt: expect.any(Date), createdAt: expect.any(Date), queuedAt: expect.any(Date) },
    });
    expect(await records.find(id)).toEqual(reused);
    const hours = ((reused?.resultExpiresAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(72);
    expect(Date.now() - (reused?.createdAt.getTime() ?? 0)).toBeLessThan(60_000);
  });

  it('has no request and no startBy when none were given', async () => {
    expect(await reuse()).toMatchObject({ requestId: null, startBy: null });
  });

  it('is counted as accepted and succeeded', async () => {
    const kind = 'counted-reuse';
    await records.setCacheVersion(kind, 'first');
    await succeeded(10, { kind });
    const values = async () => {
      const [accepted, ended] = [await jobsAccepted.get(), await jobsEnded.get()];
      return [accepted, ended].map(metric => metric.values.find(({ labels }) => labels.kind === kind)?.value);
    };
    expect(await values()).toEqual([1, 1]);
    await reuse({ kind });
    expect(await values()).toEqual([2, 2]);
  });

  it('is not reused itself; further jobs reuse the first one', async () => {
    expect(await reusedFrom()).toBe(source);
    expect(await reusedFrom()).toBe(source);
  });

  it('uses the result that is reusable for the longest time', async () => {
    const longer = await succeeded(20);
    await succeeded(5);
    expect(await reusedFrom()).toBe(longer);
  });

  it('is not inserted twice with the same id', async () => {
    const id = newJobId('pdf');
    expect(await reuse({ id })).toMatchObject({ id });
    expect(await reuse({ id })).toBeUndefined();
  });
});

describe('a result', () => {
  it.each<[string, object]>([
    ['with another payload', { payload: { list: 'another' } }],
    ['of another kind', { kind: 'pdf-preview' }],
  ])('%s is not used', async (_, given) => {
    await records.setCacheVersion('pdf-preview', 'first');
    expect(await reuse(given)).toBeUndefined();
  });

  it.each<[string, object]>([
    ['that is no longer reusable', { reusableUntil: inMinutes(-1) }],
    ['that was never reusable', { reusableUntil: null }],
    ['whose retention ends within 15 minutes', { resultExpiresAt: inMinutes(14) }],
    ['of a job that was retried', { state: 'queued' }],
    ['that was made in another way', { cacheVersion: 'second' }],
  ])('%s is not used', async (_, change) => {
    await set(change);
    expect(await reuse()).toBeUndefined();
  });

  it('is used while its retention lasts longer', async () => {
    await set({ resultExpiresAt: inMinutes(16) });
    expect(await reusedFrom()).toBe(source);
  });

  it('is not used after a worker with another cache version has started', async () => {
    await records.setCacheVersion('pdf', 'second');
    expect(await reuse()).toBeUndefined();
    const next = await succeeded(10, { cacheVersion: 'second' });
    expect(await reusedFrom()).toBe(next);
  });

  it('whose file is gone is not used again; the next one is', async () => {
    const longer = await succeeded(20);
    const asked: string[] = [];
    const isStored = async (key: string) => {
      asked.push(key);
      return key !== longer;
    };
    const id = newJobId('pdf');
    expect(await reuse({ id }, isStored)).toMatchObject({ id, reusedFrom: source });
    expect(asked).toEqual([longer, source]);
    // The lost result is not even looked for again.
    expect(await reusedFrom({}, isStored)).toBe(source);
    expect(asked).toEqual([longer, source, source]);
  });

  it('whose file is the only one and gone leaves no job', async () => {
    const id = newJobId('pdf');
    const others = await succeeded(10, { kind: 'pdf-preview' });
    expect(await reuse({ id }, async () => false)).toBeUndefined();
    expect(await records.find(id)).toBeUndefined();
    expect(await reuse()).toBeUndefined();
    const [other] = await database.select().from(jobTable).where(eq(jobTable.id, others));
    expect(other?.reusableUntil).not.toBeNull();
  });

  it('without a file is used without a look into the store', async () => {
    await set({ resultFile: null });
    const isStored = () => Promise.reject(new Error('The store does not answer.'));
    expect(await reusedFrom({}, isStored)).toBe(source);
  });
});
