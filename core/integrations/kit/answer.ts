/** An outside system's answer: its bytes as they came, and the shape they must have. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Call } from './call.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON; undefined when it is none. */
  json(): unknown;
}

export function rawAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): RawAnswer {
  let parsed: { value: unknown } | undefined;
  return {
    status,
    headers,
    body,
    json() {
      parsed ??= { value: parseJson(body) };
      return parsed.value;
    },
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a page came where data was asked for, as proxies and error pages do. */
export const isHtml = ({ headers, body }: RawAnswer): boolean =>
  /\bhtml\b/.test(headers['content-type'] ?? '') ||
  /^\s*<(!doctype|html)/i.test(body.toString('utf8', 0, 200));

/**
 * @throws UpstreamError when the answer is not what the system's documentation promises. What was done stays done, so
 * a create with such an answer may have run.
 */
export function parseAnswer<A extends z.ZodType>(
  system: SystemName,
  call: Call<A>,
  answer: RawAnswer,
): z.output<A> {
  const parsed = call.answer.safeParse(answer.body.length === 0 ? undefined : answer.json());
  if (parsed.success) return parsed.data;
  throw new UpstreamError('upstream-failed', `${system.title} answered in a way we do not understand.`, {
    system: system.name,
    status: answer.status,
    passing: false,
    mayHaveRun: call.class === 'create',
    // Places only, not values: they may be a person's.
    message: `${call.path}: ${z.prettifyError(parsed.error)}`,
  });
}
