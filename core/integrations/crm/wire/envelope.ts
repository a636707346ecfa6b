/** What stands around the CRM's results, how it tells errors, and how commands are written into a batch. */
import { z } from 'zod';
import type { RawAnswer } from '../../kit/answer.ts';
import type { Fault } from '../../kit/fault.ts';
import { mapOf } from './scalars.ts';

/** Seconds of run time that a method has used lately, and when (Unix seconds) some of it is forgotten. */
export const UsedTime = z.object({
  finish: z.number().optional(),
  operating: z.number().optional(),
  operating_reset_at: z.number().optional(),
});
export type UsedTime = z.infer<typeof UsedTime>;

const Envelope = z.object({ result: z.unknown(), time: UsedTime.optional() });

export const envelope = <R extends z.ZodType>(result: R) =>
  Envelope.transform(
    ({ result: given, time }, context): { result: z.output<R>; time: UsedTime | undefined } => {
      const parsed = result.safeParse(given);
      if (parsed.success) return { result: parsed.data, time };
      for (const { path, message } of parsed.error.issues)
        context.addIssue({ code: 'custom', path: ['result', ...path], message });
      return z.NEVER;
    },
  );

const ErrorBody = z.object({
  error: z.union([z.string(), z.number()]),
  error_description: z.string().optional(),
});

/** A batch answers 200 even when its commands fail. */
export const BatchResult = z.object({
  result: mapOf(z.unknown()),
  result_error: mapOf(ErrorBody),
  result_total: mapOf(z.int()),
  result_time: mapOf(UsedTime),
});

export const operationTimeLimit = 'OPERATION_TIME_LIMIT';
export const overload = 'OVERLOAD_LIMIT';

/** The CRM gives no time to wait for; its bucket has room for another request well within this, in ms. */
const pauseAfterLimitMs = 1_000;

/** @returns undefined when the answer is none of the CRM's errors */
export function readFault(answer: RawAnswer): Fault | undefined {
  const parsed = ErrorBody.safeParse(answer.json());
  if (!parsed.success) return undefined;
  const code = String(parsed.data.error);
  const message = parsed.data.error_description ?? '';
  const words = { message, ...(code !== '' && { code }) };
  if (code === 'QUERY_LIMIT_EXCEEDED')
    return { verdict: 'limit', notRun: true, retryAfterMs: pauseAfterLimitMs, ...words };
  // Concerns one method, not all calls, and is waited for where the method is known.
  if (code === operationTimeLimit) return { verdict: 'refused', ...words, ...resetIn(answer) };
  // A block by hand: calling on makes it longer.
  if (code === overload) return { verdict: 'refused', ...words };
  if (answer.status === 401 || answer.status === 403) return { verdict: 'unauthorized', ...words };
  return { verdict: answer.status >= 500 ? 'passing' : 'refused', ...words };
}

function resetIn(answer: RawAnswer): { retryAfterMs: number } | undefined {
  const { data } = z.object({ time: UsedTime }).safeParse(answer.json());
  const ms = data && msUntilReset(data.time);
  return ms === undefined ? undefined : { retryAfterMs: ms };
}

/** By the CRM's own clock, where it tells it. */
export function msUntilReset({ operating_reset_at, finish }: UsedTime): number | undefined {
  if (operating_reset_at === undefined) return undefined;
  return Math.max(0, (operating_reset_at - (finish ?? Date.now() / 1_000)) * 1_000);
}

export type Parameters = Readonly<Record<string, unknown>>;

/** Such as `crm.deal.list?filter%5B%3EID%5D=5`: PHP's way to write maps and lists into a query. */
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
