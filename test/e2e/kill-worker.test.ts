/** SIGKILL of a worker or its browser during a PDF job. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JobResource } from '../../core/jobs/resource.ts';
import { ownProcesses } from '../support/printing.ts';
import { type RunningService, runningBackends, startRunningService } from '../support/running-service.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ended = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

describe.each(runningBackends)('on %s', backend => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startRunningService(backend);
  });
  afterAll(() => service?.close());

  it('completes the job of a killed worker in another one within 30 seconds', async () => {
    // Both run before the kill: on a busy machine, the start of a process takes longer than the takeover.
    const workers = await Promise.all([service.startWorker(), service.startWorker()]);
    const busy = () => workers.find(worker => worker.output().includes('job begun'));
    const job = await service.submit({
      reference_number: 'R',
      title_en: 'T',
      photo: [service.photos.blocked()],
    });
    const id = job?.id ?? '';
    await service.waitForJob(id, ({ state }) => state === 'running');
    await expect.poll(busy, { timeout: 30_000 }).toBeDefined();
    await expect.poll(() => service.photos.requests.length, { timeout: 30_000 }).toBeGreaterThan(0);
    // Without delay: the fetch of the blocked photo times out after ten seconds.
    busy()?.kill('SIGKILL');
    const killed = Date.now();
    await busy()?.ended;
    service.photos.release();
    const last = await service.waitForJob(id, ended);
    expect(Date.now() - killed).toBeLessThan(30_000);
    expect(last).toMatchObject({
      state: 'succeeded',
      result: { pages: 1, photos: { printed: 1 } },
      warnings: [],
    });
    expect((await service.jobs()).map(one => one.id)).toEqual([id]);
  });

  it('completes the job with a new browser when the browser is killed during a print', async () => {
    const listing = { reference_number: 'R', title_en: 'B', description_en: 'Words and words. '.repeat(200) };
    const job = await service.submit(listing, 200);
    const id = job?.id ?? '';
    await service.waitForJob(id, ({ progress, state }) => progress?.stage === 'printing' || state === 'succeeded');
    const browsers = ownProcesses('--remote-debugging').filter(({ command }) => !command.includes('--type='));
    expect(browsers.length).toBeGreaterThan(0);
    for (const { pid } of browsers) process.kill(pid, 'SIGKILL');
    expect(await service.waitForJob(id, ended)).toMatchObject({ state: 'succeeded', result: { pages: 200 } });
    const next = await service.submit({ reference_number: 'R', title_en: 'next' });
    expect(await service.waitForJob(next?.id ?? '', ended)).toMatchObject({ state: 'succeeded' });
  });
});
