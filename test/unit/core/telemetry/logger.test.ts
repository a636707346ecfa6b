import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { loggedError, terminalText } from '../../../../core/telemetry/logger.ts';

const violation = Object.assign(new Error('duplicate key value violates unique constraint "employee_email"'), {
  code: '23505',
  detail: 'Key (email)=(sara@example.com) already exists.',
});
const failedQuery = new DrizzleQueryError('insert into employee values ($1)', ['sara@example.com'], violation);

describe('a logged error', () => {
  it.each([
    ['a failed query', failedQuery],
    [
      'an error that a failed query caused',
      new ServiceError('internal-error', 'Something went wrong.', { cause: failedQuery }),
    ],
    ['PostgreSQL’s own error', violation],
  ])('shows the query’s text and the reason without the values: %s', (_, error) => {
    const shown = JSON.stringify(loggedError(error));
    expect(shown).toContain('employee_email');
    expect(shown).not.toContain('sara@');
  });

  it('keeps its code and stack', () =>
    expect(loggedError(violation)).toMatchObject({ code: '23505', stack: expect.stringContaining('logger.test') }));

  it('shows status and code of an upstream error, without its message', () => {
    const failure = { kind: 'rejected', system: 'crm', status: 400, code: 'E1', message: 'Sara' } as const;
    const shown = loggedError(new UpstreamError('upstream-failed', 'The CRM rejected the call.', failure));
    expect(shown).toMatchObject({ upstream: { system: 'crm', status: 400, code: 'E1' } });
    expect(JSON.stringify(shown)).not.toContain('Sara');
  });

  it('shows a cyclic cause once', () => {
    const round = new Error('round');
    round.cause = round;
    expect(loggedError(round)).toMatchObject({ message: expect.stringContaining('round') });
  });

  it('returns a value that is no error unchanged', () => expect(loggedError('text')).toBe('text'));
});

it('shows the message of a line on a terminal first, and its ids last', () => {
  const line = {
    level: 30,
    name: 'worker',
    jobId: 'pdf_1',
    attempt: 1,
    requestId: 'r1',
    ms: 812,
    msg: 'job succeeded',
  };
  expect(terminalText(line)).toBe('job succeeded attempt=1 ms=812 jobId=pdf_1 requestId=r1');
});
