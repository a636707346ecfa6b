import { describe, expect, it } from 'vitest';
import { callbackMessage } from '../../../../core/callbacks/message.ts';
import type { JobEvent } from '../../../../core/jobs/event.ts';
import { JobResource } from '../../../../core/jobs/resource.ts';
import { jobRecord } from '../../../support/job-record.ts';

const base = 'https://portal.example/v2';
const end = (data: object): JobEvent => ({ id: 9, at: new Date(), type: 'succeeded', data });
const succeeded = end({ state: 'succeeded', attemptsMade: 1, warnings: 0, finishedAt: '2026-01-31T08:00:02Z' });
const read = (message: string): JobResource => JobResource.parse(JSON.parse(message));

describe('the message of a callback', () => {
  it('is the job at its end, with absolute links', () => {
    const job = read(callbackMessage(jobRecord({ result: { pages: 2 } }), succeeded, base));
    expect(job).toMatchObject({ state: 'succeeded', result: { pages: 2 }, callback: null });
    expect(job.links.result).toBe(`${base}/jobs/${job.id}/result`);
  });

  it('is the job at the given end, also when the job was retried since', () => {
    const failed = end({ state: 'failed', attemptsMade: 3, warnings: 0, finishedAt: '2026-01-31T08:00:02Z' });
    const job = read(callbackMessage(jobRecord({ state: 'queued', finishedAt: null }), failed, base));
    expect(job).toMatchObject({ state: 'failed', attempts: { made: 3 }, finishedAt: '2026-01-31T08:00:02.000Z' });
  });

  it.each([
    ['a long report', { result: { rows: Array.from({ length: 2_000 }, (_, key) => ({ key, outcome: 'failed' })) } }],
    [
      'many warnings',
      { warnings: Array.from({ length: 500 }, () => ({ pointer: '/list/0/photo/1', detail: 'x'.repeat(200) })) },
    ],
    ['warnings of great length', { warnings: [{ pointer: '/list', detail: 'ü'.repeat(30_000) }] }],
  ])('stays under 20 kB with %s', (_, fields) => {
    const message = callbackMessage(jobRecord(fields), succeeded, base);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(20_000);
    expect(read(message).state).toBe('succeeded');
  });

  it.each([
    [
      'many faults',
      {
        detail: 'The input has faults.',
        errors: Array.from({ length: 500 }, () => ({ pointer: '/list/0', detail: 'x'.repeat(100) })),
      },
    ],
    ['an endless sentence', { detail: 'x'.repeat(100_000) }],
  ])('stays under 20 kB when the job failed with %s', (_, fault) => {
    const error = { type: 'urn:x', title: 'Invalid input', status: 422, ...fault };
    const message = callbackMessage(jobRecord({}), end({ state: 'failed', attemptsMade: 1, warnings: 0, error }), base);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(20_000);
    expect(read(message).state).toBe('failed');
  });

  const many = Array.from({ length: 200 }, (_, key) => ({ pointer: `/list/${key}`, detail: 'x'.repeat(80) }));
  const report = { rows: Array.from({ length: 2_000 }, (_, key) => ({ key, outcome: 'failed' })) };
  const allWarnings = end({ state: 'succeeded', attemptsMade: 1, warnings: 200 });

  it('is complete up to 20,000 bytes', () => {
    const withDetail = (length: number) =>
      callbackMessage(jobRecord({ result: { text: 'x'.repeat(length) } }), succeeded, base);
    const rest = Buffer.byteLength(withDetail(0));
    expect(read(withDetail(20_000 - rest)).result).not.toBeNull();
    expect(read(withDetail(20_001 - rest)).result).toBeNull();
  });

  it('loses warnings after the twentieth first, then the result, then all warnings', () => {
    const few = { pages: 2 };
    const first = read(callbackMessage(jobRecord({ result: few, warnings: many }), allWarnings, base));
    expect(first).toMatchObject({ result: few, warnings: many.slice(0, 20) });
    const second = read(callbackMessage(jobRecord({ result: report, warnings: many }), allWarnings, base));
    expect(second).toMatchObject({ result: null, warnings: many.slice(0, 20) });
    const long = many.map(warning => ({ ...warning, detail: 'x'.repeat(2_000) }));
    const third = read(callbackMessage(jobRecord({ result: few, warnings: long }), allWarnings, base));
    expect(third).toMatchObject({ result: null, warnings: [] });
  });

  it('of a failed job loses faults after the tenth, then all faults, then the error', () => {
    const failedWith = (given: object) => {
      const error = { type: 'urn:x', title: 'Invalid input', status: 422, detail: 'It has faults.', ...given };
      const failed = end({ state: 'failed', attemptsMade: 1, warnings: 200, error });
      return read(callbackMessage(jobRecord({ warnings: many.slice(0, 1) }), failed, base));
    };
    const few = failedWith({ errors: many.slice(0, 20) });
    expect(few.error?.errors).toHaveLength(20);
    expect(few.warnings).toHaveLength(1);
    const faults = [...many, ...many, ...many];
    expect(failedWith({ errors: faults })).toMatchObject({ warnings: [], error: { errors: faults.slice(0, 10) } });
    const long = many.map(fault => ({ ...fault, detail: 'x'.repeat(3_000) }));
    const { error } = failedWith({ errors: long });
    expect(error).toMatchObject({ title: 'Invalid input', detail: 'It has faults.' });
    expect(error?.errors).toBeUndefined();
    expect(failedWith({ detail: 'x'.repeat(30_000) }).error).toBeNull();
  });
});
