/** The envelope of the CRM's results, its errors, and the form of batch commands. */
import { z } from 'zod';
import type { RawAnswer } from '../../kit/call.ts';
import type { VendorFault } from '../../kit/fault.ts';
import { mapOf } from './scalars.ts';

/** Seconds of run time that a method has used recently, and when (Unix seconds) some of it becomes free. */
export const UsedTime = z.object({
  finish: z.number().optional(),
  operating: z.number().optional(),
  operating_reset_at: z.number().optional(),
});
export type UsedTime = z.infer<typeof UsedTime>;

const Envelope = z.object({ result: z.unknown(), time: UsedTime.optional() });

export const envelope = <R extends z.ZodType>(result: R) =>
  Envelope.transform(({ result: given, time }, context): { result: z.output<R>; time: UsedTime | undefined } => {
    const parsed = result.safeParse(given);
    if (parsed.success) return { result: parsed.data, time };
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: 'custom', path: ['result', ...path], message });
    return z.NEVER;
  });

const ErrorBody = z.object({
  error: z.union([z.string(), z.number()]),
  error_description: z.string().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** A batch has status 200 even when its commands fail. */
export const BatchResult = z.object({
  result: mapOf(z.unknown()),
  result_error: mapOf(ErrorBody),
  result_total: mapOf(z.int()),
  result_time: mapOf(UsedTime),
});

export const operationTimeLimit = 'OPERATION_TIME_LIMIT';
export const overload = 'OVERLOAD_LIMIT';
/** The webhook's user may not read or change the record; with status 401: the plan of the account has no REST. */
export const accessDenied = 'ACCESS_DENIED';
export const queryLimit = 'QUERY_LIMIT_EXCEEDED';

/** The CRM sends no `Retry-After`; its bucket has room for another request within this time. */
export const pauseAfterLimitMs = 1_000;

/** @returns undefined when the answer is not an error of the CRM */
export function readFault(answer: RawAnswer): VendorFault | undefined {
  const parsed = ErrorBody.safeParse(answer.json());
  if (!parsed.success) return undefined;
  const code = String(parsed.data.error);
  const message = parsed.data.error_description ?? '';
  const texts = { message, ...(code !== '' && { code }) };
  if (code === queryLimit) return { verdict: 'limit', retryAfterMs: pauseAfterLimitMs, ...texts };
  // Concerns one method, not all calls: the caller, which knows the method, waits.
  if (code === operationTimeLimit) return { verdict: 'rejected', ...texts, ...resetIn(answer) };
  // A block by the CRM's staff; further calls extend it.
  if (code === overload) return { verdict: 'rejected', ...texts };
  // With 403 it is about the record that the call names.
  const isDenied = answer.status === 403 && code === accessDenied;
  if (answer.status === 401 || (answer.status === 403 && !isDenied)) return { verdict: 'unauthorized', ...texts };
  return { verdict: answer.status >= 500 ? 'transient' : 'rejected', ...texts };
}

function resetIn(answer: RawAnswer): { retryAfterMs: number } | undefined {
  const { data } = z.object({ time: UsedTime }).safeParse(answer.json());
  const ms = data && msUntilReset(data.time);
  return ms === undefined ? undefined : { retryAfterMs: ms };
}

/** By the CRM's own clock where the answer contains it. */
export function msUntilReset({ operating_reset_at, finish }: UsedTime): number | undefined {
  if (operating_reset_at === undefined) return undefined;
  return Math.max(0, (operating_reset_at - (finish ?? Date.now() / 1_000)) * 1_000);
}

export type Parameters = Readonly<Record<string, unknown>>;

/** Such as `crm.item.list?filter%5B%3Eid%5D=5`: maps and lists in PHP's query form. */
export function commandText(method: string, parameters: Parameters): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) appendPairs(pairs, name, value);
  return pairs.size === 0 ? method : `${method}?${pairs}`;
}

function appendPairs(pairs: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null) pairs.append(name, value === null ? '' : String(value));
  else for (const [key, inner] of Object.entries(value)) appendPairs(pairs, `${name}[${key}]`, inner);
}
