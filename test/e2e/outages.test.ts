/** PostgreSQL or Redis stopped or killed while jobs come in: what was accepted is done, and no process is restarted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResource } from '../../core/jobs/resource.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { type RunningService, runningBackends, startRunningService } from '../support/running-service.ts';

const jobsWanted = 30;
const ended = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

describe.each(runningBackends)('with queues in %s', backend => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startRunningService(backend);
    await service.startWorker();
    await service.startWorker();
  });
  afterAll(() => service?.close());

  /** Submits jobs one after another, breaks something after the tenth, and waits until all that were accepted ended. */
  async function throughOutage(name: string, breakIt: () => Promise<void>): Promise<JobResource[]> {
    const accepted: string[] = [];
    let broken: Promise<void> | undefined;
    for (let number = 0; accepted.length < jobsWanted; number += 1) {
      const job = await service.submit({ reference_number: 'R', title_en: `${name} ${number}` });
      if (job) accepted.push(job.id);
      else await new Promise(resolve => setTimeout(resolve, 100));
      if (accepted.length === 10) broken ??= breakIt();
    }
    await broken;
    return Promise.all(accepted.map(id => service.waitForJob(id, ended)));
  }

  const postmaster = (): number => {
    const running = runningPostmaster(`${service.dataDir}/postgres/cluster/data`);
    if (!running) throw new Error('PostgreSQL does not run');
    return running.pid;
  };

  async function holds(name: string, breakIt: () => Promise<void>): Promise<void> {
    const jobs = await throughOutage(name, breakIt);
    expect(jobs.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    expect(jobs).toHaveLength(jobsWanted);
    expect(service.processes.map(running => running.isAlive())).toEqual(service.processes.map(() => true));
  }

  it('PostgreSQL is stopped, its connections cut, and started again', () =>
    holds('stopped', async () => {
      const postgres = await service.startPostgres();
      await postgres.stop();
      await service.startPostgres();
    }));

  it('PostgreSQL is killed and started again', () =>
    holds('killed', async () => {
      process.kill(postmaster(), 'SIGKILL');
      await service.startPostgres();
    }));

  it.runIf(backend === 'redis')('Redis is killed and started again', () =>
    holds('redis', async () => {
      const server = service.redis?.process;
      const gone = new Promise(resolve => server?.once('exit', resolve));
      server?.kill('SIGKILL');
      await gone;
      await service.startRedis();
    }),
  );
});
