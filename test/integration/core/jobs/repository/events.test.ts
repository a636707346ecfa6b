/** Every change of a job's row is recorded, except heartbeats. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import { JobSnapshot } from '../../../../../core/jobs/event.ts';
import { countRequeued, createJobEvents } from '../../../../../core/jobs/repository/events.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('job events');

describe('job events', () => {
  const records = createJobRecords(database, { resultRetentionHours: 1, insertCallback });
  const events = createJobEvents(database);

  const create = () =>
    records.create({ id: newJobId('trial'), kind: 'trial', clientId: 'one', payload: {}, attemptsMax: 3 });
  const typesOf = async (id: string) => (await events.timeline(id, 0, 1_000)).map(({ type }) => type);
  const error = { type: 'urn:x', title: 'Failed', status: 500, detail: 'It failed.' };

  it('record all changes of a job in order', async () => {
    const { id } = await create();
    const run = { jobId: id, runId: randomUUID() };
    const step = (stage: string, percent: number) =>
      records.saveProgress(run, { stage, done: percent, total: 100, percent });
    await records.begin(run, 1);
    await step('photos', 10);
    await step('photos', 20);
    await step('print', 60);
    await step('photos', 70);
    await records.fail(run, { error, warnings: [], sandboxes: [], scheduledAgain: true });
    await records.begin(run, 2);
    await records.handBack(run);
    await records.begin(run, 2);
    await records.requestCancel(id);
    await records.markCancelled(run);
    await records.requeue(id);
    await records.markFailed(id, error);
    await events.add([id], 'result-downloaded', {});

    expect(await typesOf(id)).toEqual([
      'accepted',
      'begun',
      'progress',
      'progress',
      'progress',
      'retry-scheduled',
      'begun',
      'handed-back',
      'begun',
      'cancel-requested',
      'cancelled',
      'requeued',
      'failed',
      'result-downloaded',
    ]);
    const changes = await events.changesAfter(id, 0, 1_000);
    expect(changes.map(({ type }) => type)).not.toContain('cancel-requested');
    const percents = changes.map(({ data }) => JobSnapshot.parse(data).progress?.percent);
    expect(percents.filter(percent => percent !== undefined)).toEqual([10, 20, 60, 70, 70]);
    expect(await events.changesAfter(id, changes.at(-2)?.id ?? 0, 10)).toEqual(changes.slice(-1));
  });

  it('record changes made by other programs', async () => {
    const { id } = await create();
    await database.pool.query(`update job set state = 'held' where id = $1`, [id]);
    await database.pool.query(`update job set state = 'queued' where id = $1`, [id]);
    await database.pool.query(`update job set attempts_made = 2 where id = $1`, [id]);
    await database.pool.query(`update job set warnings = '[{"pointer": "", "detail": "late"}]' where id = $1`, [id]);
    expect(await typesOf(id)).toEqual(['accepted', 'held', 'released', 'changed', 'changed']);
  });

  it('do not record heartbeats', async () => {
    const { id } = await create();
    const run = { jobId: id, runId: randomUUID() };
    await records.begin(run, 1);
    await records.saveProgress(run, undefined);
    await records.saveProgress(run, undefined);
    expect(await typesOf(id)).toEqual(['accepted', 'begun']);
  });

  it('record that another run takes the job over', async () => {
    const { id } = await create();
    await records.begin({ jobId: id, runId: randomUUID() }, 1);
    await records.begin({ jobId: id, runId: randomUUID() }, 2);
    expect(await typesOf(id)).toEqual(['accepted', 'begun', 'begun']);
  });

  it('tell when the row changed last, heartbeats and other events excluded', async () => {
    expect(await events.lastChangeAt('trial_unknown')).toBeUndefined();
    const { id } = await create();
    await records.begin({ jobId: id, runId: randomUUID() }, 1);
    await database.pool.query(`update job set warnings = '[{"pointer": "", "detail": "late"}]' where id = $1`, [id]);
    await events.add([id], 'result-downloaded', {});
    const [accepted, begun, changed] = await events.timeline(id, 0, 10);
    expect(accepted?.at).not.toEqual(begun?.at);
    expect(await events.lastChangeAt(id)).toEqual(changed?.at);
  });

  it('tell how often lost jobs were put back into the queue', async () => {
    const ids = [(await create()).id, (await create()).id];
    await events.add([], 'put-back', {});
    await events.add(ids, 'put-back', {});
    await events.add(ids, 'result-downloaded', {});
    expect(await countRequeued(database, 1)).toBe(2);
    await database.pool.query(`update job_event set at = now() - interval '61 minutes' where job_id = $1`, [ids[0]]);
    expect(await countRequeued(database, 1)).toBe(1);
    expect(await countRequeued(database, 2)).toBe(2);
  });

  it('are deleted with their job', async () => {
    const { id } = await create();
    await database.pool.query('delete from job where id = $1', [id]);
    expect(await typesOf(id)).toEqual([]);
  });
});
