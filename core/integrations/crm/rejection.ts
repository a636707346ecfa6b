/** Meaning of the CRM's error answers; its older methods give a text without a code. */
import type { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { vendorReason } from '../kit/fault.ts';
import { faultOf, reasonText } from '../kit/read-rows.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { plainText } from '../kit/vendor-text.ts';
import type { CommandOutcome } from './rest.ts';
import { accessDenied } from './wire/envelope.ts';

interface Rejection {
  status?: number;
  code?: string;
  message?: string;
}

/** Maps the CRM's "not found" to undefined. */
export async function optional<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof UpstreamError && isNotFound(error.failure)) return undefined;
    throw error;
  }
}

export const isNotFound = ({ code, message = '' }: Rejection): boolean =>
  code === 'NOT_FOUND' || ((code ?? '') === '' && /\bnot found\b/i.test(message));

/** The result of a batch command; undefined when the CRM has no such record. @throws UpstreamError */
export function resultOf<R extends z.ZodType>(outcome: CommandOutcome, result: R): z.output<R> | undefined {
  if ('failure' in outcome) throw outcome.failure;
  if ('error' in outcome) {
    if (isNotFound(outcome.error)) return undefined;
    throw commandRejected('rejected a command of a batch', outcome.error);
  }
  const parsed = result.safeParse(outcome.result);
  if (!parsed.success)
    throw commandRejected(
      `returned the result of a command in an unexpected form: ${reasonText(faultOf(parsed.error))}`,
    );
  return parsed.data;
}

/**
 * Converts a rejection of the input to an error for the caller; other errors stay as they are.
 * @throws ServiceError invalid-input, with the CRM's reason
 */
export async function withRejectionReason<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof UpstreamError) || !isAboutInput(error.failure)) throw error;
    const reason = plainText(error.failure.message ?? '');
    throw new ServiceError('invalid-input', `The CRM does not accept this: ${reason}`, { cause: error });
  }
}

const isAboutInput = ({ status, code, message = '' }: Rejection): boolean =>
  status === 400 && code !== accessDenied && message !== '' && !/access denied/i.test(message);

/** Permanent: the CRM would reject the command again. */
export const commandRejected = (what: string, { code = '', message = '' }: Rejection = {}): UpstreamError =>
  new UpstreamError('upstream-failed', `The CRM ${what}${vendorReason({ code, message })}.`, {
    kind: 'rejected',
    system: 'crm',
    code,
    message,
  });
