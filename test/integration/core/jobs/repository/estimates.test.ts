import { describe, expect, it } from 'vitest';
import { insertCallback } from '../../../../../core/callbacks/outbox.ts';
import { newJobId } from '../../../../../core/jobs/contract.ts';
import type { JobRecord } from '../../../../../core/jobs/record.ts';
import { createJobEstimates } from '../../../../../core/jobs/repository/estimates.ts';
import { createJobRecords } from '../../../../../core/jobs/repository/repository.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database } = await useTestDatabase('job estimates');

describe('job estimates', () => {
  const estimates = createJobEstimates(database);

  const create = (kind: string, clientId: string): Promise<JobRecord> =>
    createJobRecords(database, { resultRetentionHours: 1, insertCallback }).create({
      id: newJobId(kind),
      kind,
      clientId,
      payload: {},
      attemptsMax: 1,
    });

  /** Adds a job that ended `ago` seconds ago, after `wait` and `run` seconds. */
  async function ended(given: { kind: string; ago: number; wait: number; run: number; state?: string }) {
    const { id } = await create(given.kind, 'one');
    await database.pool.query(
      `update job set state = $2, finished_at = now() - $3 * interval '1 s',
         started_at = now() - ($3::float8 + $5) * interval '1 s',
         created_at = now() - ($3::float8 + $5 + $4) * interval '1 s'
       where id = $1`,
      [id, given.state ?? 'succeeded', given.ago, given.wait, given.run],
    );
  }

  it('are the medians of the last fifty ended jobs of the kind', async () => {
    for (let index = 0; index < 50; index += 1) {
      await ended({ kind: 'known', ago: index, wait: index < 26 ? 2 : 60, run: index < 26 ? 10 : 90 });
    }
    for (let index = 0; index < 60; index += 1) {
      await ended({ kind: 'known', ago: 1_000 + index, wait: 500, run: 500 });
    }
    await ended({ kind: 'known', ago: 0, wait: 0, run: 0, state: 'cancelled' });
    await ended({ kind: 'other', ago: 0, wait: 0, run: 0 });
    const times = await estimates.typicalTimes('known');
    expect(times?.jobs).toBe(50);
    expect(times?.waitSeconds).toBeCloseTo(2, 1);
    expect(times?.runSeconds).toBeCloseTo(10, 1);
    expect(times?.totalSeconds).toBeCloseTo(12, 1);
  });

  it('are undefined for a kind without an ended job in the last week', async () => {
    await ended({ kind: 'old', ago: 8 * 86_400, wait: 1, run: 1 });
    expect(await estimates.typicalTimes('old')).toBeUndefined();
    expect(await estimates.typicalTimes('never')).toBeUndefined();
  });

  it('use an index, also with many jobs', async () => {
    await database.pool.query(
      `insert into job (id, kind, client_id, payload, attempts_max, state, finished_at)
       select 'bulk_' || n, 'bulk', 'one', '{}', 1, 'succeeded', now() from generate_series(1, 30000) as n`,
    );
    await database.pool.query('analyze job');
    const { rows } = await database.pool.query(
      `explain select * from job where kind = 'known' and state in ('succeeded', 'failed')
         and finished_at > now() - interval '7 days' order by finished_at desc limit 50`,
    );
    expect(JSON.stringify(rows)).toContain('job_ended');
  });

  it('count the jobs before a waiting job and the running ones, with the client’s own counted separately', async () => {
    const running = await create('queue', 'one');
    await database.pool.query(`update job set state = 'running' where id = $1`, [running.id]);
    const jobs = [];
    for (const client of ['one', 'one', 'one', 'two']) jobs.push(await create('queue', client));
    await create('elsewhere', 'two');
    const position = (job: JobRecord | undefined) => job && estimates.queuePosition(job);
    const [first, , third, others] = jobs;
    // The other client submitted last but has no other open job, so its job is next.
    expect(await position(others)).toEqual({ before: 0, ownBefore: 0, running: 1, ownRunning: 0 });
    expect(await position(first)).toEqual({ before: 1, ownBefore: 0, running: 1, ownRunning: 1 });
    expect(await position(third)).toEqual({ before: 3, ownBefore: 2, running: 1, ownRunning: 1 });
  });
});
