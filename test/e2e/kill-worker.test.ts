/** kill -9 of a worker, or of its browser, in the middle of a brochure: the client sees one job that succeeded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobResource } from '../../core/jobs/resource.ts';
import { ownProcesses } from '../support/printing.ts';
import { type RunningService, runningBackends, startRunningService } from '../support/running-service.ts';

const ended = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

describe.each(runningBackends)('on %s', backend => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startRunningService(backend);
  });
  afterAll(() => service?.close());

  it('another worker finishes what a killed one had begun, within 30 seconds of the kill', async () => {
    const first = await service.startWorker();
    const job = await service.submit({
      reference_number: 'R',
      title_en: 'T',
      photo: [service.photos.blocked()],
    });
    const id = job?.id ?? '';
    await service.waitForJob(id, ({ state }) => state === 'running');
    await expect.poll(() => service.photos.requests.length, { timeout: 30_000 }).toBeGreaterThan(0);
    // At once: a photo that does not come for ten seconds is given up.
    first.kill('SIGKILL');
    const killed = Date.now();
    await first.ended;
    service.photos.release();
    await service.startWorker();
    const last = await service.waitForJob(id, ended);
    expect(Date.now() - killed).toBeLessThan(30_000);
    expect(last).toMatchObject({
      state: 'succeeded',
      result: { pages: 1, photos: { printed: 1 } },
      warnings: [],
    });
    expect((await service.jobs()).map(one => one.id)).toEqual([id]);
  });

  it('a worker whose browser is killed while it prints goes on with another', async () => {
    const listing = { reference_number: 'R', title_en: 'B', description_en: 'Words and words. '.repeat(200) };
    const job = await service.submit(listing, 200);
    const id = job?.id ?? '';
    await service.waitForJob(
      id,
      ({ progress, state }) => progress?.stage === 'printing' || state === 'succeeded',
    );
    const browsers = ownProcesses('--remote-debugging').filter(({ command }) => !command.includes('--type='));
    expect(browsers.length).toBeGreaterThan(0);
    for (const { pid } of browsers) process.kill(pid, 'SIGKILL');
    expect(await service.waitForJob(id, ended)).toMatchObject({ state: 'succeeded', result: { pages: 200 } });
    const next = await service.submit({ reference_number: 'R', title_en: 'after it' });
    expect(await service.waitForJob(next?.id ?? '', ended)).toMatchObject({ state: 'succeeded' });
  });
});
