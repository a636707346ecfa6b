/** Outages of PostgreSQL and Redis while jobs are submitted. Every accepted job succeeds; no process restarts. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JobResource } from '../../core/jobs/resource.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { type RunningService, runningBackends, startRunningService } from '../support/running-service.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const jobCount = 30;
const hasFinished = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

describe.each(runningBackends)('with queues in %s', backend => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startRunningService(backend);
    await service.startWorker();
    await service.startWorker();
  });
  afterAll(() => service?.close());

  /** Submits jobs one after another, runs the outage after the tenth, and waits until all accepted jobs finish. */
  async function jobsDuring(name: string, outage: () => Promise<void>): Promise<JobResource[]> {
    const accepted: string[] = [];
    let recovery: Promise<void> | undefined;
    for (let number = 0; accepted.length < jobCount; number += 1) {
      const job = await service.submit({ reference_number: 'R', title_en: `${name} ${number}` });
      if (job) accepted.push(job.id);
      else await new Promise(resolve => setTimeout(resolve, 100));
      if (accepted.length === 10) recovery ??= outage();
    }
    await recovery;
    const jobs: JobResource[] = [];
    for (const id of accepted) jobs.push(await service.waitForJob(id, hasFinished));
    return jobs;
  }

  const postmaster = (): number => {
    const running = runningPostmaster(`${service.dataDir}/postgres/cluster/data`);
    if (!running) throw new Error('PostgreSQL is not running');
    return running.pid;
  };

  async function expectSuccess(name: string, outage: () => Promise<void>): Promise<void> {
    const jobs = await jobsDuring(name, outage);
    expect(jobs.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    expect(jobs).toHaveLength(jobCount);
    expect(service.processes.map(running => running.isAlive())).toEqual(service.processes.map(() => true));
  }

  it('completes all jobs when PostgreSQL is stopped and started again', () =>
    expectSuccess('stopped', async () => {
      const postgres = await service.startPostgres();
      await postgres.stop();
      await service.startPostgres();
    }));

  it('completes all jobs when PostgreSQL is killed and started again', () =>
    expectSuccess('killed', async () => {
      process.kill(postmaster(), 'SIGKILL');
      await service.startPostgres();
    }));

  it.runIf(backend === 'redis')('completes all jobs when Redis is killed and started again', () =>
    expectSuccess('redis', async () => {
      const server = service.redis?.process;
      const exited = new Promise(resolve => server?.once('exit', resolve));
      server?.kill('SIGKILL');
      await exited;
      await service.startRedis();
    }),
  );
});
