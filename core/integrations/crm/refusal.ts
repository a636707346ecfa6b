/** What the CRM means when it refuses a call; its older methods say so in words only. */
import type { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { CommandOutcome } from './rest.ts';

/** @returns undefined when the CRM has no such record */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof UpstreamError && isMissing(error.failure)) return undefined;
    throw error;
  }
}

interface Refusal {
  status?: number;
  code?: string;
  message?: string;
}

export const isMissing = ({ code, message = '' }: Refusal): boolean =>
  code === 'NOT_FOUND' || ((code ?? '') === '' && /\bnot found\b/i.test(message));

/** A command's result; undefined when the CRM has no such record. @throws UpstreamError */
export function foundIn<R extends z.ZodType>(outcome: CommandOutcome, result: R): z.output<R> | undefined {
  if ('error' in outcome) {
    if (isMissing(outcome.error)) return undefined;
    throw commandFailed(outcome.error.code, outcome.error.message);
  }
  const parsed = result.safeParse(outcome.result);
  if (!parsed.success) throw commandFailed('', 'a result that we do not understand');
  return parsed.data;
}

const commandFailed = (code: string, message: string): UpstreamError =>
  new UpstreamError('upstream-failed', 'The CRM failed to carry out a part of what it was asked for.', {
    system: 'crm',
    passing: true,
    mayHaveRun: false,
    code,
    message,
  });

/**
 * A refusal that concerns what was sent is the caller's to mend; all others are between the CRM and us.
 * @throws ServiceError invalid-input, with the CRM's reason
 */
export async function withReasons<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isAboutInput(error.failure)) throw error;
    const reason = plainSentence(error.failure.message ?? '');
    throw new ServiceError('invalid-input', `The CRM does not accept this: ${reason}`, { cause: error });
  }
}

const isAboutInput = ({ status, code, message = '' }: Refusal): boolean =>
  status === 400 && code !== 'ACCESS_DENIED' && message !== '' && !/access denied/i.test(message);

/** The CRM writes its reasons for a web page. */
export function plainSentence(html: string): string {
  const text = html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
