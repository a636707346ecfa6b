/** Failed jobs by cause, and the list of those that failed for one cause. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import type { FailureCause } from '../../../../../core/jobs/record.ts';
import { failureGroups } from '../../../../../core/jobs/repository/failures.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { jobTable } from '../../../../../core/jobs/schema.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('failures');

beforeEach(() => database.delete(jobTable));

const at = (minutes: number) => new Date(Date.parse('2026-01-31T08:00:00Z') + minutes * 60_000);
const call = (operation: string, status: number | null = 502) => ({
  type: 'urn:portal-service:problem:upstream-failed',
  title: 'An outside system failed',
  status: 502,
  detail: `It answered ${status}.`,
  upstream: { system: 'crm', operation, status, at: at(0).toISOString() },
});
const gone = { type: 'https://portal.example/v2/problems/gone', title: 'Gone', status: 410, detail: 'It is gone.' };

/** A job that failed at this minute. */
async function failed(minutes: number, error: typeof gone | ReturnType<typeof call> | null, given: object = {}) {
  const id = `trial_${randomUUID()}`;
  await database.insert(jobTable).values({
    id,
    kind: 'trial',
    clientId: 'portal',
    payload: {},
    attemptsMax: 1,
    state: 'failed',
    finishedAt: at(minutes),
    error,
    ...given,
  });
  return id;
}
const groups = (after = at(0), limit = 10) => failureGroups(database, after, limit);

describe('failed jobs', () => {
  it('are grouped by kind, problem and call; the most frequent cause is first, then the latest', async () => {
    await failed(1, gone);
    await failed(2, gone, { kind: 'other' });
    await failed(3, call('GET /users'));
    await failed(4, call('POST /users'));
    const newest = await failed(5, call('GET /users', 503), { clientId: 'chat-bot' });
    await failed(6, null);
    expect(await groups()).toEqual([
      {
        pointer: null,
        kind: 'trial',
        problem: 'upstream-failed',
        system: 'crm',
        operation: 'GET /users',
        count: 2,
        clients: 2,
        firstAt: at(3),
        lastAt: at(5),
        jobId: newest,
        title: 'An outside system failed',
        detail: 'It answered 503.',
        status: '503',
      },
      expect.objectContaining({ problem: 'unknown', system: '', operation: '', title: null, count: 1 }),
      expect.objectContaining({ problem: 'upstream-failed', operation: 'POST /users' }),
      expect.objectContaining({ kind: 'other', problem: 'gone', system: '', operation: '', clients: 1 }),
      expect.objectContaining({ kind: 'trial', problem: 'gone' }),
    ]);
    expect(await groups(at(0), 2)).toHaveLength(2);
  });

  it('count after a time, and only while they are failed', async () => {
    await failed(1, gone);
    await failed(2, gone);
    await failed(3, gone, { state: 'queued' });
    await failed(4, gone, { state: 'cancelled' });
    expect(await groups(at(1))).toMatchObject([{ count: 1, firstAt: at(2), lastAt: at(2) }]);
    expect(await groups(at(2))).toEqual([]);
  });

  it('that called several items are one group', async () => {
    await failed(1, call('GET /users/12'));
    await failed(2, call('GET /users/99/notes'));
    await failed(3, call('GET /users/77'));
    await failed(4, call('GET /users/7'));
    expect((await groups()).map(({ operation, count }) => [operation, count])).toEqual([
      ['GET /users/{id}', 2],
      ['GET /users/7', 1],
      ['GET /users/{id}/notes', 1],
    ]);
  });
});

describe('the list of jobs that failed for a cause', () => {
  const cause = { problem: 'upstream-failed', system: 'crm', operation: 'GET /users/{id}' };
  const ids = (given: Partial<FailureCause> = {}) =>
    createJobRecords(database, { resultRetentionHours: 1, insertCallback })
      .list({ clientId: null, limit: 10, cause: { ...cause, ...given } })
      .then(jobs => jobs.map(({ id }) => id).sort());

  it('has those of the group, after a time and until another', async () => {
    const [first, second, third] = [
      await failed(1, call('GET /users/12')),
      await failed(2, call('GET /users/13')),
      await failed(3, call('GET /users/14')),
    ];
    await failed(2, call('GET /users'));
    await failed(2, gone);
    await failed(2, call('GET /users/15'), { state: 'queued' });
    expect(await ids()).toEqual([first, second, third].sort());
    expect(await ids({ after: at(1) })).toEqual([second, third].sort());
    expect(await ids({ until: at(2) })).toEqual([first, second].sort());
    expect(await ids({ after: at(1), until: at(2) })).toEqual([second]);
    expect(await ids({ system: 'directory' })).toEqual([]);
    expect(await ids({ problem: 'gone' })).toEqual([]);
    expect(await ids({ problem: 'gone', system: '', operation: '' })).toHaveLength(1);
  });
});
