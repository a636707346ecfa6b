/**
 * SIGKILL of a worker or its browser during a PDF job, then outages of PostgreSQL and Redis while jobs are submitted. Every
 * accepted job succeeds; no other process restarts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobResource } from '../../core/jobs/resource.ts';
import { runningPostmaster } from '../../core/postgres/embedded/pid-file.ts';
import { ownProcesses } from '../support/printing.ts';
import type { ServiceProcess } from '../support/processes.ts';
import { type RunningService, runningBackends, startRunningService } from '../support/running-service.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const jobCount = 30;
const hasFinished = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

describe.each(runningBackends)('with queues in %s', backend => {
  let service: RunningService;
  let workers: ServiceProcess[];
  beforeAll(async () => {
    service = await startRunningService(backend);
  });
  // Two run in each test: on a busy machine, the start of a process takes longer than a takeover.
  beforeEach(async () => {
    const [, ...started] = service.processes;
    workers = started.filter(worker => worker.isAlive());
    while (workers.length < 2) workers.push(await service.startWorker());
  });
  afterAll(() => service?.close());

  it('completes the job of a killed worker in another one within 30 seconds', async () => {
    const before = await service.jobs();
    const requests = service.photos.requests.length;
    const job = await service.submit({ reference_number: 'R', title_en: 'T', photo: [service.photos.blocked()] });
    const id = job?.id ?? '';
    const busy = () => workers.find(worker => worker.output().includes(id));
    await service.waitForJob(id, ({ state }) => state === 'running');
    await expect.poll(busy).toBeDefined();
    await expect.poll(() => service.photos.requests.length).toBeGreaterThan(requests);
    // Without delay: the fetch of the blocked photo times out after ten seconds.
    busy()?.kill('SIGKILL');
    const killed = Date.now();
    await busy()?.ended;
    service.photos.release();
    const last = await service.waitForJob(id, hasFinished);
    expect(Date.now() - killed).toBeLessThan(30_000);
    expect(last).toMatchObject({ state: 'succeeded', result: { pages: 1, photos: { printed: 1 } }, warnings: [] });
    expect(await service.jobs()).toHaveLength(before.length + 1);
  });

  it('completes the job with a new browser when the browser is killed during a print', async () => {
    const listing = { reference_number: 'R', title_en: 'B', description_en: 'Words and words. '.repeat(200) };
    const job = await service.submit(listing, 100);
    const id = job?.id ?? '';
    await service.waitForJob(id, ({ progress, state }) => progress?.stage === 'printing' || state === 'succeeded');
    const browsers = ownProcesses('--remote-debugging').filter(({ command }) => !command.includes('--type='));
    expect(browsers.length).toBeGreaterThan(0);
    for (const { pid } of browsers) process.kill(pid, 'SIGKILL');
    expect(await service.waitForJob(id, hasFinished)).toMatchObject({ state: 'succeeded', result: { pages: 100 } });
    const next = await service.submit({ reference_number: 'R', title_en: 'next' });
    expect(await service.waitForJob(next?.id ?? '', hasFinished)).toMatchObject({ state: 'succeeded' });
  });

  describe('during an outage', () => {
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
      const found = runningPostmaster(`${service.dataDir}/postgres/cluster/data`);
      if (!found) throw new Error('PostgreSQL is not running');
      return found.pid;
    };

    async function expectSuccess(name: string, outage: () => Promise<void>): Promise<void> {
      const jobs = await jobsDuring(name, outage);
      expect(jobs.filter(({ state }) => state !== 'succeeded')).toEqual([]);
      expect(jobs).toHaveLength(jobCount);
      expect([service.processes[0], ...workers].map(running => running?.isAlive())).toEqual([true, true, true]);
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

    it('ends the running job of a worker that is stopped while PostgreSQL is away, then exits with code 0', async () => {
      const requests = service.photos.requests.length;
      const job = await service.submit({ reference_number: 'R', title_en: 'T', photo: [service.photos.blocked()] });
      const id = job?.id ?? '';
      await service.waitForJob(id, ({ state }) => state === 'running');
      await expect.poll(() => service.photos.requests.length).toBeGreaterThan(requests);
      const postgres = await service.startPostgres();
      await postgres.stop();
      for (const worker of workers) worker.kill('SIGTERM');
      await sleep(1_000);
      await service.startPostgres();
      service.photos.release();
      expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
      expect(await service.waitForJob(id, hasFinished)).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
    });
  });
});
