import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mailJobId } from '../../../../core/jobs/contract.ts';
import type { JobState } from '../../../../core/jobs/record.ts';
import { JobResource, jobResource } from '../../../../core/jobs/resource.ts';
import { problemOf, problemType, ServiceError } from '../../../../core/runtime/errors.ts';
import { jobRecord } from '../../../support/job-record.ts';

const id = 'pdf_019aa5f1-0000-7000-8000-000000000001';
const self = `/v2/jobs/${id}`;
const mailJob = mailJobId(id);

const address = { links: '/v2', url: 'https://portal.example/v2' };

describe('the resource of a job', () => {
  it('has a valid example in its documentation', () => {
    const [example] = z.array(z.unknown()).parse(JobResource.meta()?.examples);
    const links = ['self', 'events', 'result'];
    expect(Object.keys(JobResource.parse(example).links)).toEqual(links);
  });

  it('has all members of a job that has ended, with times in ISO 8601', () => {
    const job = jobRecord({
      attemptsMade: 2,
      result: { pages: 2 },
      warnings: [{ pointer: '/list/0', detail: 'No photo.' }],
      resultExpiresAt: new Date('2026-02-03T08:00:00Z'),
      startBy: new Date('2026-01-31T09:00:00Z'),
      callback: { url: 'https://a.example/', state: 'delivered', tries: 1, lastStatus: 204, nextTryAt: null },
      released: { by: 'someone', at: '2026-01-31T08:00:00.000Z' },
      sandboxes: ['crm'],
      mail: {
        job: mailJob,
        state: 'failed',
        error: problemOf(new ServiceError('mail-rejected', 'No.'), '/'),
        warnings: [],
      },
    });
    const resource = jobResource(job, address);
    expect(resource).toEqual({
      id,
      kind: 'pdf',
      state: 'succeeded',
      progress: null,
      attempts: { made: 2, max: 3 },
      createdAt: '2026-01-31T08:00:00.000Z',
      startedAt: '2026-01-31T08:00:01.000Z',
      finishedAt: '2026-01-31T08:00:02.000Z',
      startBy: '2026-01-31T09:00:00.000Z',
      callback: job.callback,
      result: { pages: 2 },
      resultExpiresAt: '2026-02-03T08:00:00.000Z',
      error: null,
      warnings: job.warnings,
      sandboxes: ['crm'],
      released: job.released,
      mail: { ...job.mail, error: expect.objectContaining({ code: 'mail-rejected', instance: `/v2/jobs/${mailJob}` }) },
      links: { self, events: `${self}/events`, result: `${self}/result`, mail: `/v2/jobs/${mailJob}` },
    });
    expect(JobResource.parse(resource)).toEqual(resource);
  });

  it('has null for what is not known yet', () => {
    const resource = jobResource(
      jobRecord({ state: 'queued', startedAt: null, finishedAt: null, result: undefined }),
      address,
    );
    expect(resource).toMatchObject({
      startedAt: null,
      finishedAt: null,
      startBy: null,
      result: null,
      resultExpiresAt: null,
      callback: null,
      released: null,
      mail: null,
      progress: null,
    });
  });

  it.each<[JobState, string[]]>([
    ['queued', ['self', 'events']],
    ['scheduled', ['self', 'events']],
    ['running', ['self', 'events']],
    ['failed', ['self', 'events']],
    ['cancelled', ['self', 'events']],
    ['succeeded', ['self', 'events', 'result']],
    ['held', ['self', 'events', 'plan', 'release']],
  ])('that is %s has the links %j', (state, links) => {
    expect(Object.keys(jobResource(jobRecord({ state }), address).links)).toEqual(links);
  });

  it.each(['/v2', 'https://portal.example/v2', 'http://127.0.0.1:9000/v2'])(
    'has links below %s, and the path of the job and the address of the problem’s page in its error',
    base => {
      const url = 'https://portal.example/v2';
      const type = problemType('gone');
      const error = { type, title: 'Failed', status: 500, detail: 'It failed.', instance: '/jobs/1' };
      const resource = jobResource(jobRecord({ state: 'held', error }), { links: base, url });
      expect(resource.links.plan).toBe(`${base}/jobs/${id}/plan`);
      expect(resource.links.release).toBe(`${base}/jobs/${id}/release`);
      expect(resource.error).toEqual({ ...error, type: `${url}/problems/gone`, code: 'gone', instance: self });
    },
  );
});
