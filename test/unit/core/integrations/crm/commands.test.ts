/** Which errors of single commands are transient, and which commands are sent again. */
import { describe, expect, it } from 'vitest';
import type { Command, CommandOutcome } from '../../../../../core/integrations/crm/commands.ts';
import { outcomeOfError, sendWithRetries, settled } from '../../../../../core/integrations/crm/commands.ts';
import { pauseAfterLimitMs } from '../../../../../core/integrations/crm/wire/envelope.ts';
import type { CallClass } from '../../../../../core/integrations/kit/call.ts';
import { withCallContext } from '../../../../../core/integrations/kit/call-context.ts';
import { UpstreamError } from '../../../../../core/integrations/kit/upstream-error.ts';
import { recordSleeps } from '../../../../support/recorded-sleeps.ts';

const sleeps = recordSleeps();

const system = { name: 'crm', title: 'The CRM' };
const failed = (code: string) => outcomeOfError(system, { error: code, error_description: 'text' });

describe('the error of a command', () => {
  it.each([
    ['OPERATION_TIME_LIMIT', 'limit'],
    ['QUERY_LIMIT_EXCEEDED', 'limit'],
    ['OVERLOAD_LIMIT', 'limit'],
    ['INTERNAL_SERVER_ERROR', 'failing'],
    ['ERROR_UNEXPECTED_ANSWER', 'failing'],
  ])('%s is a failure of the kind %s', (code, kind) =>
    expect(failed(code)).toMatchObject({ failure: { failure: { code, kind } } }),
  );

  it.each([
    ['OPERATION_TIME_LIMIT', 'upstream-unavailable', undefined, undefined],
    ['QUERY_LIMIT_EXCEEDED', 'upstream-unavailable', undefined, pauseAfterLimitMs],
    ['OVERLOAD_LIMIT', 'upstream-unavailable', undefined, 5_000],
    ['INTERNAL_SERVER_ERROR', 'upstream-failed', 500, undefined],
  ])('%s is %s with the status %s; pause: %s ms', (code, problem, status, retryAfterMs) => {
    const outcome = failed(code);
    const failure = 'failure' in outcome ? outcome.failure : undefined;
    expect(failure?.code).toBe(problem);
    expect([failure?.failure.status, failure?.failure.retryAfterMs]).toEqual([status, retryAfterMs]);
  });

  it.each(['', 'ACCESS_DENIED', 'CRM_FIELD_ERROR_VALUE_NOT_VALID', 'ERROR_METHOD_NOT_FOUND'])(
    '%j is a rejection',
    code => expect(failed(code)).toEqual({ error: { code, message: 'text' } }),
  );

  it('is unknown when the answer does not mention the command', () =>
    expect(outcomeOfError(system)).toMatchObject({ failure: { maybeExecuted: true } }));
});

describe('sendWithRetries', () => {
  const done: CommandOutcome = { result: true, total: undefined };
  const commandsOf = (keys: string): Command[] =>
    keys.split('').map(key => ({ key, method: 'crm.lead.update', parameters: {} }));

  /** @param answers the outcome of each command by request; after the last one, every command succeeds */
  async function run(
    callClass: CallClass,
    commands: readonly Command[],
    answers: readonly (Record<string, CommandOutcome> | InstanceType<typeof UpstreamError>)[],
    signal?: AbortSignal,
  ) {
    const requests: string[] = [];
    const outcomes = await withCallContext({ priority: 'background', ...(signal && { signal }) }, () =>
      sendWithRetries(callClass, commands, async some => {
        const answer = answers[requests.length];
        requests.push(some.map(({ key }) => key).join(''));
        if (answer instanceof UpstreamError) throw answer;
        return new Map(some.map(({ key }) => [key, answer?.[key] ?? done]));
      }),
    );
    return { requests, outcomes: Object.fromEntries(outcomes) };
  }

  it('sends only commands with transient errors again', async () => {
    const rejected = failed('ACCESS_DENIED');
    const limit = failed('QUERY_LIMIT_EXCEEDED');
    const answers = [{ a: limit, b: rejected, d: limit }, { d: limit }];
    expect(await run('set', commandsOf('abcd'), answers)).toEqual({
      requests: ['abcd', 'ad', 'd'],
      outcomes: { a: done, b: rejected, c: done, d: done },
    });
  });

  it('does not send a create again that may have been executed', async () => {
    const unknown = failed('INTERNAL_SERVER_ERROR');
    const answers = [{ a: unknown, b: failed('OVERLOAD_LIMIT') }];
    const { requests, outcomes } = await run('create', commandsOf('ab'), answers);
    expect({ requests, outcomes }).toEqual({ requests: ['ab', 'b'], outcomes: { a: unknown, b: done } });
    expect((await run('set', commandsOf('ab'), answers)).requests).toEqual(['ab', 'ab']);
  });

  it('ends after six retries without progress', async () => {
    const limit = failed('OPERATION_TIME_LIMIT');
    const { requests, outcomes } = await run('read', commandsOf('ab'), [
      ...Array.from({ length: 5 }, () => ({ a: limit, b: limit })),
      ...Array.from({ length: 50 }, () => ({ b: limit })),
    ]);
    expect(requests).toEqual([...Array.from({ length: 6 }, () => 'ab'), ...Array.from({ length: 6 }, () => 'b')]);
    expect(outcomes).toEqual({ a: done, b: limit });
  });

  it('keeps the known outcomes when the request of a retry fails', async () => {
    const failure = new UpstreamError('upstream-timeout', 'no answer', { kind: 'no-answer', system: 'crm' });
    const answers = [{ b: failed('QUERY_LIMIT_EXCEEDED') }, failure];
    const { requests, outcomes } = await run('create', commandsOf('ab'), answers);
    expect({ requests, outcomes }).toEqual({ requests: ['ab', 'b'], outcomes: { a: done, b: { failure } } });
    expect(() => settled(Object.values(outcomes))).toThrow(failure);
  });

  it('sends commands that refer back again as a whole, unless the first ones succeeded', async () => {
    const chain = commandsOf('abc').map(command => ({ ...command, refersBack: true as const }));
    const limit = failed('QUERY_LIMIT_EXCEEDED');
    expect((await run('read', chain, [{ a: limit, b: limit }, { b: limit }])).requests).toEqual(['abc', 'abc']);
  });

  it('sends commands that do not refer back again without those that succeeded after them', async () => {
    const limit = failed('QUERY_LIMIT_EXCEEDED');
    expect((await run('read', commandsOf('abc'), [{ a: limit }])).requests).toEqual(['abc', 'a']);
  });

  it('sends a batch as a whole when only one of its commands refers back', async () => {
    const mixed = commandsOf('abc').map(each => (each.key === 'c' ? { ...each, refersBack: true as const } : each));
    const limit = failed('QUERY_LIMIT_EXCEEDED');
    expect((await run('read', mixed, [{ a: limit }])).requests).toEqual(['abc', 'abc']);
  });

  it('waits as long as the longest pause that a command asks for, and may be stopped meanwhile', async () => {
    const { signal } = new AbortController();
    const answers = [{ a: failed('OVERLOAD_LIMIT'), b: failed('OPERATION_TIME_LIMIT') }];
    await run('read', commandsOf('abc'), answers, signal);
    expect(sleeps).toHaveLength(1);
    expect(sleeps[0]?.ms).toBeGreaterThanOrEqual(5_000);
    expect(sleeps[0]?.signal).toBe(signal);
  });

  it('does not wait for a method whose time is used up: the quota does', async () => {
    await run('read', commandsOf('a'), [{ a: failed('OPERATION_TIME_LIMIT') }]);
    expect(sleeps.map(({ ms }) => ms)).toEqual([0]);
  });

  it('does not retry when the context of the call forbids it', async () => {
    const limit = failed('QUERY_LIMIT_EXCEEDED');
    const requests: number[] = [];
    await withCallContext({ priority: 'background', retries: false }, () =>
      sendWithRetries('read', commandsOf('ab'), async some => {
        requests.push(some.length);
        return new Map(some.map(({ key }) => [key, limit]));
      }),
    );
    expect(requests).toEqual([2]);
  });

  it('fails with other errors of a retry than those of the outside system', async () => {
    let requests = 0;
    const sending = withCallContext({ priority: 'background' }, () =>
      sendWithRetries('read', commandsOf('a'), async () => {
        requests += 1;
        if (requests === 2) throw new TypeError('not serialisable');
        return new Map([['a', failed('OVERLOAD_LIMIT')]]);
      }),
    );
    await expect(sending).rejects.toThrow('not serialisable');
  });
});

describe('settled', () => {
  const done = { result: 1, total: undefined };

  it('returns results and rejections', () => {
    const rejected = { error: { code: 'ACCESS_DENIED', message: '' } };
    expect(settled([done, rejected])).toEqual([done, rejected]);
  });

  it.each([
    [['QUERY_LIMIT_EXCEEDED', 'INTERNAL_SERVER_ERROR'], 'INTERNAL_SERVER_ERROR'],
    [['INTERNAL_SERVER_ERROR', 'OVERLOAD_LIMIT'], 'INTERNAL_SERVER_ERROR'],
    [['OVERLOAD_LIMIT', 'QUERY_LIMIT_EXCEEDED'], 'OVERLOAD_LIMIT'],
  ])('of %j throws the failure that may have been executed, else the first: %s', (codes, thrown) => {
    expect(() => settled([done, ...codes.map(failed)])).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: thrown }) }),
    );
  });
});
