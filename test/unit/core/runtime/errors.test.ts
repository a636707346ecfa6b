import { describe, expect, it } from 'vitest';
import {
  asServiceError,
  type ErrorCode,
  invalidInput,
  Problem,
  problemOf,
  problemText,
  ServiceError,
} from '../../../../core/runtime/errors.ts';

/** Codes of failed jobs and requests: whether a job that fails with it is retried. */
const transience = {
  'bad-request': false,
  unauthorized: false,
  'insufficient-scope': false,
  forbidden: false,
  'not-found': false,
  'method-not-allowed': false,
  'not-acceptable': false,
  conflict: false,
  gone: false,
  'payload-too-large': false,
  'unsupported-media-type': false,
  'range-not-satisfiable': false,
  'invalid-input': false,
  'idempotency-key-reused': false,
  'too-many-requests': true,
  'internal-error': true,
  'upstream-failed': true,
  'upstream-timeout': true,
  'upstream-unavailable': true,
  'system-not-configured': false,
  'waiting-for-system': true,
  'effect-pending': true,
  'storage-unavailable': true,
  'storage-full': true,
  'service-unavailable': true,
  'job-timed-out': false,
  'job-cancelled': false,
  'job-superseded': false,
  'job-not-released': false,
  'worker-died': false,
  'job-not-begun': false,
  'message-not-permitted': false,
  'consent-missing': false,
  'photo-unavailable': false,
  'browser-failed': true,
  'page-contract-broken': false,
  'mail-rejected': false,
  'mail-outcome-unknown': false,
} satisfies Record<ErrorCode, boolean>;

const crmCall = { system: 'crm', operation: 'POST /crm.lead.get', status: 503, at: '2026-11-20T08:00:00.000Z' };

class FailedCall extends ServiceError {
  override get upstream() {
    return crmCall;
  }
}

describe('ServiceError', () => {
  it('has status, title and transience of its code', () => {
    expect(new ServiceError('upstream-timeout', 'The CRM did not answer.')).toMatchObject({
      status: 504,
      title: 'An outside system did not answer in time',
      transient: true,
    });
    expect(new ServiceError('invalid-input', 'The input has one fault.')).toMatchObject({
      status: 422,
      transient: false,
    });
  });

  it('is transient for exactly the codes that may disappear without a change', () => {
    const codes = Object.keys(transience).filter((code): code is ErrorCode => code in transience);
    const actual = codes.map(code => [code, new ServiceError(code, 'Text.').transient]);
    expect(Object.fromEntries(actual)).toEqual(transience);
  });

  it('has no cause, faults, headers, wait or outside call unless they are given', () => {
    const error = new ServiceError('gone', 'It is gone.');
    expect(error).toMatchObject({ faults: [], headers: {}, retryAfterSeconds: undefined, upstream: undefined });
    expect(error.logFields).toEqual({});
    expect(error).not.toHaveProperty('cause');
  });

  it('can override the transience of its code', () => {
    expect(new ServiceError('upstream-failed', 'The CRM rejected the call.', { transient: false }).transient).toBe(
      false,
    );
    expect(new ServiceError('photo-unavailable', 'Slow.', { transient: true }).transient).toBe(true);
  });
});

describe('asServiceError', () => {
  it.each([new Error('connect ECONNREFUSED 10.0.0.5:5432, password hunter2'), 'a thrown string: hunter2'])(
    'hides the text of another error, keeps it as the cause, and is transient',
    thrown => {
      const error = asServiceError(thrown);
      expect(error).toMatchObject({ code: 'internal-error', status: 500, transient: true, cause: thrown });
      expect(JSON.stringify(problemOf(error, '/jobs/x'))).not.toContain('hunter2');
    },
  );

  it.each(['ENOSPC', 'EDQUOT', '53100'])(
    'is storage-full, with a wait, for %s, also as the cause of another error',
    code => {
      const full = Object.assign(new Error('write failed: /var/lib/portal'), { code });
      for (const thrown of [full, new Error('printing failed', { cause: full })]) {
        const expected = { code: 'storage-full', status: 503, transient: true, retryAfterSeconds: 60, cause: thrown };
        expect(asServiceError(thrown)).toMatchObject(expected);
        expect(asServiceError(thrown).message).not.toContain('/var');
      }
    },
  );

  it('returns a ServiceError unchanged', () => {
    const ours = new ServiceError('gone', 'It is gone.');
    expect(asServiceError(ours)).toBe(ours);
  });
});

describe('invalidInput', () => {
  const faults = (count: number) => Array.from({ length: count }, (_, i) => ({ pointer: `/${i}`, detail: 'is wrong' }));

  it.each([
    [1, 'The input has one fault.'],
    [2, 'The input has 2 faults.'],
  ])('names the number of %i faults', (count, message) =>
    expect(invalidInput(faults(count))).toMatchObject({ status: 422, message, faults: faults(count) }),
  );

  it('lists the first 500 faults, and counts all', () =>
    expect(invalidInput(faults(501))).toMatchObject({ message: 'The input has 501 faults.', faults: faults(500) }));

  it('takes another sentence', () =>
    expect(invalidInput(faults(1), 'The file is not a list.').message).toBe('The file is not a list.'));
});

describe('problemOf', () => {
  it('returns type, title, status, detail and instance', () =>
    expect(problemOf(new ServiceError('gone', 'The result is no longer stored.'), '/jobs/x/result')).toEqual({
      type: 'urn:portal-service:problem:gone',
      title: 'Gone',
      status: 410,
      detail: 'The result is no longer stored.',
      instance: '/jobs/x/result',
    }));

  it('lists input errors with their pointers', () => {
    const faults = [{ pointer: '/list/0/title_en', detail: 'must not be empty' }];
    const problem = problemOf(new ServiceError('invalid-input', 'The input has one fault.', { faults }), '/x');
    expect(problem.errors).toEqual(faults);
    expect(Problem.parse(problem)).toEqual(problem);
  });

  it('names the part of the request outside the body, and rejects an unknown part', () => {
    const inQuery = { pointer: '/limit', detail: 'must be a number', in: 'query' as const };
    const problem = problemOf(invalidInput([inQuery]), '/jobs');
    expect(Problem.parse(problem).errors).toEqual([inQuery]);
    expect(Problem.safeParse({ ...problem, errors: [{ ...inQuery, in: 'cookie' }] }).success).toBe(false);
  });

  it('has the last call to an outside system, and no such member without a call', () => {
    const problem = problemOf(new FailedCall('upstream-failed', 'The CRM failed.'), '/jobs/x');
    expect(Problem.parse(problem)).toMatchObject({ upstream: crmCall });
    expect(problemOf(new ServiceError('gone', 'Gone.'), '/x')).not.toHaveProperty('upstream');
    expect(problemOf(new ServiceError('gone', 'Gone.'), '/x')).not.toHaveProperty('errors');
  });
});

describe('problemText', () => {
  const problem = () => problemOf(new ServiceError('upstream-failed', 'The CRM failed.'), '/jobs/x');

  it.each([
    [503, 'The CRM failed. (crm, POST /crm.lead.get: status 503, 2026-11-20T08:00:00.000Z)'],
    [null, 'The CRM failed. (crm, POST /crm.lead.get: no answer, 2026-11-20T08:00:00.000Z)'],
  ])('has the last answer of the outside system: status %s', (status, text) =>
    expect(problemText({ ...problem(), upstream: { ...crmCall, status } })).toBe(text),
  );

  it('is the detail alone without an outside call', () => expect(problemText(problem())).toBe('The CRM failed.'));
});
