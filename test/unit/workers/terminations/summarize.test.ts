/** The outcomes of a termination in all systems become one result, or one error for the systems that remain. */
import { expect, it } from 'vitest';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { summarize } from '../../../../workers/terminations/summarize.ts';

const person = { crmId: 245, inCrm: 'active' } as const;
const paused = (system: string, retryAfterMs: number) =>
  new UpstreamError('upstream-unavailable', 'It has failed several times in a row.', {
    kind: 'paused',
    system,
    retryAfterMs,
  });
const errorOf = (directory: ServiceError, chatBot: ServiceError): unknown => {
  try {
    return summarize(person, [
      { system: 'directory', error: directory },
      { system: 'chat-bot', error: chatBot },
    ]);
  } catch (error) {
    return error;
  }
};

it('waits for unavailable systems without using an attempt, and names them', () => {
  const error = errorOf(paused('directory', 4_000), paused('chat-bot', 9_000));
  expect(error).toMatchObject({ failure: { kind: 'paused', retryAfterMs: 4_000 } });
  expect(String(error)).toMatch(/Not closed: directory: .*chat-bot: /);
});

it('waits for an unavailable system although another one rejects the person for good', () => {
  const rejected = new ServiceError('conflict', 'Several users have this CRM id.');
  expect(errorOf(rejected, paused('chat-bot', 9_000))).toMatchObject({
    code: 'upstream-unavailable',
    failure: { kind: 'paused' },
  });
});

it('waits for systems that fail without being paused', () => {
  const failed = new UpstreamError('upstream-failed', 'It failed.', { kind: 'failing', system: 'directory' });
  expect(errorOf(failed, paused('chat-bot', 9_000))).toMatchObject({
    failure: { kind: 'failing', system: 'directory' },
  });
});

it('uses an attempt when the answer of a system cannot be used', () => {
  const failed = new UpstreamError('upstream-failed', 'It failed.', { kind: 'incomplete', system: 'directory' });
  const error = errorOf(failed, paused('chat-bot', 9_000));
  expect(error).toMatchObject({ transient: true });
  expect(error).not.toBeInstanceOf(UpstreamError);
});
