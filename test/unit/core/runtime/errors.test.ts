import { describe, expect, it } from 'vitest';
import { asServiceError, Problem, problemOf, ServiceError } from '../../../../core/runtime/errors.ts';

describe('an error of the service', () => {
  it('has the status, the title and the answer to "may it pass?" of its kind', () => {
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

  it('may know better than its kind whether it passes', () => {
    expect(new ServiceError('upstream-failed', 'The CRM refused.', { transient: false }).transient).toBe(
      false,
    );
    expect(new ServiceError('photo-unavailable', 'Slow.', { transient: true }).transient).toBe(true);
  });
});

describe('an error that is none of ours', () => {
  it.each([new Error('connect ECONNREFUSED 10.0.0.5:5432, password hunter2'), 'a thrown string: hunter2'])(
    'shows nothing of itself, keeps its cause for the log, and counts as transient',
    thrown => {
      const error = asServiceError(thrown);
      expect(error).toMatchObject({ code: 'internal-error', status: 500, transient: true, cause: thrown });
      expect(JSON.stringify(problemOf(error, '/jobs/x'))).not.toContain('hunter2');
    },
  );

  it('leaves one of ours as it is', () => {
    const ours = new ServiceError('gone', 'It is gone.');
    expect(asServiceError(ours)).toBe(ours);
  });
});

describe('the problem document of an error (RFC 9457)', () => {
  it('has a type of its own, title, status, detail and instance', () => {
    expect(problemOf(new ServiceError('gone', 'The result is no longer kept.'), '/jobs/x/result')).toEqual({
      type: 'urn:portal-service:problem:gone',
      title: 'Gone',
      status: 410,
      detail: 'The result is no longer kept.',
      instance: '/jobs/x/result',
    });
  });

  it('lists the faults of the input with their pointers', () => {
    const faults = [{ pointer: '/list/0/title_en', detail: 'must not be empty' }];
    const problem = problemOf(
      new ServiceError('invalid-input', 'The input has one fault.', { faults }),
      '/x',
    );
    expect(problem.errors).toEqual(faults);
    expect(Problem.parse(problem)).toEqual(problem);
  });
});
