/** Checkpoints: the next run reads what an earlier run has written, however that run ended. */
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { gate } from '../../support/gate.ts';
import { untilAborted, type Work } from '../../support/trial-jobs.ts';
import { useTrials } from '../../support/use-trials.ts';

const { service, client, trials, start } = useTrials('checkpoint');

const stored = async (id: string) =>
  (await service.database.execute(sql`select value from job_checkpoint where job_id = ${id}`)).rows;

/** Processes three pages and writes a checkpoint after each; `end` may throw. */
const pages =
  (found: unknown[], end: (page: number, attempt: number) => void): Work =>
  async ({ checkpoint, attempt }) => {
    const before = await checkpoint.read();
    found.push(before);
    for (let page = typeof before === 'number' ? before + 1 : 1; page <= 3; page++) {
      end(page, attempt);
      await checkpoint.write(page);
    }
    return 'all pages';
  };

it('survives a failed attempt and is deleted when the job succeeds', async () => {
  const found: unknown[] = [];
  trials.when(
    'retried',
    pages(found, (page, attempt) => {
      if (page === 3 && attempt === 1) throw new ServiceError('upstream-failed', 'The CRM does not answer.');
    }),
  );
  const id = await start('retried');
  expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 2 } });
  expect(found).toEqual([undefined, 2]);
  expect(await stored(id)).toEqual([]);
});

it('is kept when the job fails, so that a retry continues from it', async () => {
  const found: unknown[] = [];
  let isBroken = true;
  trials.when(
    'failed',
    pages(found, page => {
      if (page === 2 && isBroken) throw new ServiceError('conflict', 'Page 2 cannot be read.');
    }),
  );
  const id = await start('failed');
  expect(await client.waitForJob(id)).toMatchObject({ state: 'failed' });
  isBroken = false;
  await client.requestJob('POST', `/jobs/${id}/retry`);
  expect(await client.waitForJob(id, job => job.state === 'succeeded')).toMatchObject({ attempts: { made: 1 } });
  expect(found).toEqual([undefined, 1]);
});

it('is deleted when the job is cancelled', async () => {
  trials.when('cancelled', async context => {
    await context.checkpoint.write({ page: 1 });
    context.progress('waiting', 1, 2, 50);
    return await untilAborted(context);
  });
  const id = await start('cancelled');
  await client.waitForJob(id, job => job.progress?.stage === 'waiting');
  expect(await stored(id)).toEqual([{ value: { page: 1 } }]);
  await client.request('DELETE', `/jobs/${id}`);
  await client.waitForJob(id);
  expect(await stored(id)).toEqual([]);
});

it('survives the release of a held job', async () => {
  const found: unknown[] = [];
  trials.when('released', async ({ checkpoint, released }) => {
    found.push(await checkpoint.read());
    await checkpoint.write({ planned: true });
    return released ? 'done' : { held: { report: { said: 'held' }, plan: [] } };
  });
  const id = await start('released');
  await client.waitForJob(id, job => job.state === 'held');
  await client.request('POST', `/jobs/${id}/release`);
  await client.waitForJob(id);
  expect(found).toEqual([undefined, { planned: true }]);
});

it('is not written by a run that has lost its claim, and stops that run', async () => {
  const lost = gate();
  const rejected = gate();
  let reason: unknown;
  trials.when('lost', async ({ checkpoint, progress }) => {
    await checkpoint.write('mine');
    progress('written', 1, 2, 50);
    await lost.opened;
    await checkpoint.write('too late').catch(error => {
      reason = error;
    });
    rejected.open();
    return 'nothing';
  });
  const id = await start('lost');
  await client.waitForJob(id, job => job.progress?.stage === 'written');
  await service.database.execute(sql`update job set run_id = 'ffffffff-ffff-4fff-bfff-ffffffffffff' where id = ${id}`);
  lost.open();
  await rejected.opened;
  expect(reason).toMatchObject({ reason: 'claim-lost' });
  expect(await stored(id)).toEqual([{ value: 'mine' }]);
});

describe('a transaction whose last step confirms the claim', () => {
  const namesWritten = async () =>
    (await service.database.execute(sql`select kind from sync_state where kind like 'claim-%' order by kind`)).rows;

  it('is committed while the run holds its claim, and rolled back afterwards', async () => {
    const states = createSyncStates(service.database);
    const lost = gate();
    const rejected = gate();
    let reason: unknown;
    trials.when('claimed', async ({ jobId, confirmClaim, progress }) => {
      const writeUnder = (kind: string) =>
        service.database.transaction(async tx => {
          await states.write(kind, { asOf: new Date() }, tx);
          await confirmClaim(tx);
        });
      await writeUnder('claim-kept');
      progress('written', 1, 2, 50);
      await lost.opened;
      await service.database.execute(
        sql`update job set run_id = 'ffffffff-ffff-4fff-bfff-ffffffffffff' where id = ${jobId}`,
      );
      await writeUnder('claim-lost').catch(error => {
        reason = error;
      });
      rejected.open();
      return 'nothing';
    });
    const id = await start('claimed');
    await client.waitForJob(id, job => job.progress?.stage === 'written');
    expect(await namesWritten()).toEqual([{ kind: 'claim-kept' }]);
    lost.open();
    await rejected.opened;
    expect(reason).toMatchObject({ reason: 'claim-lost' });
    expect(await namesWritten()).toEqual([{ kind: 'claim-kept' }]);
  });
});
