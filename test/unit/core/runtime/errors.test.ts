import { describe, expect, it } from 'vitest';
import { asServiceError, Problem, problemOf, ServiceError } from '../../../../core/runtime/errors.ts';

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

  it('returns a ServiceError unchanged', () => {
    const ours = new ServiceError('gone', 'It is gone.');
    expect(asServiceError(ours)).toBe(ours);
  });
});

describe('problemOf', () => {
  it('returns type, title, status, detail and instance', () => {
    expect(problemOf(new ServiceError('gone', 'The result is no longer stored.'), '/jobs/x/result')).toEqual({
      type: 'urn:portal-service:problem:gone',
      title: 'Gone',
      status: 410,
      detail: 'The result is no longer stored.',
      instance: '/jobs/x/result',
    });
  });

  it('lists input errors with their pointers', () => {
    const faults = [{ pointer: '/list/0/title_en', detail: 'must not be empty' }];
    const problem = problemOf(new ServiceError('invalid-input', 'The input has one fault.', { faults }), '/x');
    expect(problem.errors).toEqual(faults);
    expect(Problem.parse(problem)).toEqual(problem);
  });
});
