import { describe, expect, it } from 'vitest';
import { type JobEvent, jobAfter } from '../../../../core/jobs/event.ts';
import { jobRecord } from '../../../support/job-record.ts';

const file = { key: 'a', contentType: 'application/pdf', fileName: 'a.pdf', bytes: 1, sha256: 'b' };
const warnings = ['first', 'second', 'third'].map(detail => ({ pointer: '', detail }));
const finishedAt = new Date('2026-01-31T08:00:02Z');
const at = new Date('2026-01-31T09:00:00Z');
const change = (data: object): JobEvent => ({
  id: 9,
  at,
  type: 'succeeded',
  data: { attemptsMade: 1, warnings: 0, ...data },
});
const job = jobRecord({
  state: 'succeeded',
  result: { pages: 2 },
  resultFile: file,
  resultExpiresAt: at,
  warnings,
  finishedAt,
});

describe('the job after a change', () => {
  it('has the state, progress and times of that moment', () => {
    const progress = { stage: 'print', done: 1, total: 2, percent: 50 };
    const data = { state: 'running', progress, attemptsMade: 2, startedAt: '2026-01-31T08:00:01Z', warnings: 0 };
    expect(jobAfter(job, change(data))).toMatchObject({
      id: job.id,
      payload: job.payload,
      state: 'running',
      progress,
      attemptsMade: 2,
      startedAt: new Date('2026-01-31T08:00:01Z'),
      finishedAt: null,
      error: null,
    });
  });

  it('has the failed call to an outside system, also one without an answer', () => {
    const upstream = { system: 'crm', operation: 'POST /crm.lead.add', at: at.toISOString() };
    const error = { type: 'urn:portal-service:problem:waiting-for-system', title: 'It waits', status: 503, detail: '' };
    const data = { state: 'scheduled', error: { ...error, upstream } };
    expect(jobAfter(job, change(data)).error).toEqual({ ...error, upstream: { ...upstream, status: null } });
  });

  it('has the result that belongs to its present state', () => {
    const result = { result: { pages: 2 }, resultFile: file, resultExpiresAt: at };
    expect(jobAfter(job, change({ state: 'succeeded', finishedAt: finishedAt.toISOString() }))).toMatchObject(result);
    expect(jobAfter(job, change({ state: 'failed' }))).toMatchObject({
      state: 'failed',
      result: null,
      resultFile: null,
      resultExpiresAt: null,
    });
  });

  it('has the warnings that were known then', () => {
    expect(jobAfter(job, change({ state: 'running', warnings: 2 })).warnings).toEqual(warnings.slice(0, 2));
    expect(jobAfter(job, change({ state: 'succeeded', warnings: 3 })).warnings).toEqual(warnings);
  });

  it.each([
    ['before', '2026-01-31T08:59:59.000Z', true],
    ['at the same time', at.toISOString(), true],
    ['later', '2026-01-31T09:00:01.000Z', false],
  ])('is released when it was released %s', (_, time, isReleased) => {
    const released = { by: 'someone', at: time };
    const then = jobAfter(jobRecord({ released }), change({ state: 'queued' }));
    expect(then.released).toEqual(isReleased ? released : null);
  });

  it('is not released when it never was', () => expect(jobAfter(job, change({ state: 'queued' })).released).toBeNull());
});
