/** A client can access only its own jobs: every job route returns 404 for a job of another client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadOperations } from '../../../../api/http/load-operations.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../../support/trial-jobs.ts';

let service: TestService;
let owner: ApiClient;
let stranger: ApiClient;
let jobId: string;
const operations = await loadOperations();
const ofAJob = operations.filter(({ path }) => path.startsWith('/jobs/{id}'));
/** A well-formed id without a job. */
const noJob = 'trial_01a1fc9f-0000-7000-8000-000000000000';

beforeAll(async () => {
  service = await startTestService('own-job', { operations: trialOperations, contracts: trialContracts });
  service.startWorker(openTrials().servedKinds);
  owner = await service.client(['trial']);
  // Every scope except jobs:all, which gives access to the jobs of all clients.
  stranger = await service.client([...service.scopes.filter(scope => scope !== 'jobs:all'), 'trial']);
  const { id } = await owner.requestJob('POST', '/trials/trial', { body: { name: 'mine' } });
  jobId = (await owner.waitForJob(id)).id;
});
afterAll(() => service?.close());

describe('another client’s job', () => {
  it('covers all job routes', () => {
    expect(ofAJob.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['jobs.get', 'jobs.cancel', 'jobs.getResult', 'jobs.retry', 'jobs.createResultLink']),
    );
  });

  it.each(ofAJob.map(({ id, method, path }) => ({ id, method, path })))(
    '$method $path returns the same 404 as for a job that does not exist',
    async ({ method, path }) => {
      const ask = (id: string, headers = {}) =>
        stranger.request(method, path.replace('{id}', id), {
          headers,
          ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: {} }),
        });
      const others = await ask(jobId);
      expect(others.status).toBe(404);
      const none = await ask(noJob);
      const withoutId = ({ bytes }: typeof none, id: string) => bytes.toString().replaceAll(id, '…');
      expect(withoutId(others, jobId)).toBe(withoutId(none, noJob));
      expect(await ask(jobId, { 'idempotency-key': 'mine' })).toMatchObject({ status: 404 });
    },
  );

  it('is not listed, not changed, and not returned for an Idempotency-Key of its own client', async () => {
    expect(await stranger.request('GET', '/jobs')).toMatchObject({ body: { items: [] } });
    expect(await owner.job(jobId)).toMatchObject({ state: 'succeeded' });
    const send = (client: ApiClient) =>
      client.requestJob('POST', '/trials/trial', {
        body: { name: 'keyed' },
        headers: { 'idempotency-key': 'shared' },
      });
    expect((await send(owner)).id).not.toBe((await send(stranger)).id);
  });
});
