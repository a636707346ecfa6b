/** Jobs and readiness while the disk of the results, or of the photo cache, is full: a real small file system. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Explanation } from '../../../../api/jobs/job-explanation.ts';
import { readConditions } from '../../../../core/monitoring/conditions.ts';
import { openPhotoCache } from '../../../../workers/pdf/photos/photo-cache.ts';
import { mountSmallDisk } from '../../../support/small-disk.ts';
import { useClient, useService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations, type Work } from '../../../support/trial-jobs.ts';

const disk = mountSmallDisk(8);
afterAll(() => disk?.unmount());
afterEach(() => disk?.empty());

const type = 'http://portal.example/v2/problems/storage-full';

describe.runIf(disk)('while the disk of the results is full', () => {
  const service = useService('full-disk', () => ({
    operations: trialOperations,
    contracts: trialContracts,
    env: { STORAGE_URL: `file://${disk?.folder}` },
  }));
  const client = useClient(service, ['trial']);
  const trials = openTrials();
  const freeNothing = async (): Promise<void> => {};
  let freeSpace = freeNothing;
  afterEach(() => {
    freeSpace = freeNothing;
  });

  beforeAll(async () => {
    const kinds = trials.servedKinds.map(({ contract, handler }) => ({
      contract,
      handler: { ...handler, freeSpace: () => freeSpace() },
    }));
    service.startWorker(kinds);
  });

  const storing: Work = async ({ jobId }) => {
    await service.results.put(`${jobId}.pdf`, Buffer.alloc(500_000), { contentType: 'application/pdf' });
    return 'stored';
  };
  const start = async (name: string) => {
    trials.when(name, storing);
    return (await client.requestJob('POST', '/trials/trial', { body: { name } })).id;
  };
  const readiness = async () => await client.request('GET', '/health/ready');
  const jobsWithoutSpace = async () => (await readConditions(service.conditions)).jobsWithoutSpace;

  it('a job waits without using attempts, readiness fails, the condition holds; the job ends when there is space', async () => {
    expect((await readiness()).body).toMatchObject({ checks: { 'storage:responseTime': [{ status: 'pass' }] } });
    await disk?.fill();
    const id = await start('waits');
    const waiting = await client.waitForJob(id, ({ state }) => state === 'scheduled');
    expect(waiting).toMatchObject({ attempts: { made: 0 }, error: { type, status: 503 } });
    const explained = Explanation.parse((await client.request('GET', `/jobs/${id}/explain`)).body);
    if (explained.state === 'scheduled')
      expect(explained).toMatchObject({ cause: 'storage-full', reason: expect.stringContaining('space on a disk') });
    expect(await jobsWithoutSpace()).toBe(1);
    await expect.poll(readiness).toMatchObject({
      status: 503,
      body: { status: 'fail', checks: { 'storage:responseTime': [{ status: 'fail', output: /disk/ }] } },
    });

    await disk?.empty();
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded', attempts: { made: 1 }, error: null });
    expect(await jobsWithoutSpace()).toBe(0);
    await expect.poll(async () => (await readiness()).status).toBe(200);
    const timeline = JSON.stringify((await client.request('GET', `/jobs/${id}/timeline`)).body);
    expect(timeline).toContain('The job waits for space on a disk; the attempt does not count');
  });

  it('the worker first deletes what it can obtain again', async () => {
    freeSpace = async () => await disk?.empty();
    await disk?.fill();
    expect(await client.waitForJob(await start('frees'))).toMatchObject({ state: 'succeeded', attempts: { made: 1 } });
  });
});

describe.runIf(disk)('while the disk of the photo cache is full', () => {
  const photo = { widthPx: 10, heightPx: 10 };
  const crop = Buffer.alloc(1_000_000);

  it('the cache deletes its oldest files, and crops stay available', async () => {
    const folder = join(disk?.folder ?? '', 'photos');
    const cache = openPhotoCache(folder, { maxMemoryBytes: 10_000_000 });
    const put = async (name: string) => {
      const url = `http://photos.example/${name}`;
      const stored = await cache.store(url, Buffer.from(name), photo, 60_000);
      await cache.storeCrop({ ...stored, url }, 'key', crop);
      const onDisk = await openPhotoCache(folder).findCrop({ ...stored, url }, 'key');
      return onDisk?.content.equals(crop);
    };
    expect(await put('first')).toBe(true);
    await disk?.fill();
    const url = 'http://photos.example/second';
    const second = await cache.store(url, Buffer.from('second'), photo, 60_000);
    await cache.storeCrop({ ...second, url }, 'key', crop);
    expect((await cache.findCrop({ ...second, url }, 'key'))?.content.equals(crop)).toBe(true);
    // The space of the first photo, which was deleted.
    expect(await put('third')).toBe(true);
  });
});
