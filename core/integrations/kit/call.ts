/** One call to a vendor system, as a connector declares it, and the vendor's answer. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FormData } from 'undici';
import { z } from 'zod';
import { parseJson } from '../../values/parse-json.ts';
import { faultOf, reasonText } from './read-rows.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

/**
 * What may be retried. `read`: changes nothing. `set`: idempotent. `create`: adds something with each execution, and is
 * retried only when it was definitely not executed.
 */
export type CallClass = 'read' | 'set' | 'create';

export interface Call<A extends z.ZodType = z.ZodType> {
  class: CallClass;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL, with a leading slash. It is logged: no secrets, no personal data. */
  path: string;
  /** Lists become repeated parameters; undefined values are left out. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  json?: unknown;
  /** A body that is not JSON, with its `content-type` in `headers`. */
  body?: string | Uint8Array | FormData;
  headers?: Readonly<Record<string, string>>;
  /** Schema of the answer; an empty answer is parsed as undefined. */
  answer: A;
  timeoutMs?: number;
}

export type RawAnswer = ReturnType<typeof rawAnswer>;

export function rawAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer) {
  let parsed: { value: unknown } | undefined;
  return {
    status,
    headers,
    body,
    /** @returns undefined when the body is not JSON */
    json(): unknown {
      // Some vendors begin with a byte order mark, which is not JSON (RFC 8259 section 8.1).
      parsed ??= { value: parseJson(body.toString('utf8').replace(/^\uFEFF/, '')) };
      return parsed.value;
    },
  };
}

/** Whether the answer is a web page, as proxies and error pages send instead of data. */
export const isHtml = ({ headers, body }: RawAnswer): boolean =>
  /\bhtml\b/.test(headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(body.toString('utf8', 0, 200));

/** @throws UpstreamError when the answer does not match the schema; a `create` may have been executed all the same */
export function parseAnswer<A extends z.ZodType>(system: SystemName, call: Call<A>, answer: RawAnswer): z.output<A> {
  const parsed = call.answer.safeParse(answer.json());
  if (parsed.success) return parsed.data;
  const where = reasonText(faultOf(parsed.error));
  throw new UpstreamError('upstream-failed', `${system.title} returned an answer in an unexpected form: ${where}.`, {
    kind: call.class === 'create' ? 'unclear' : 'rejected',
    system: system.name,
    status: answer.status,
    call: { operation: `${call.method} ${call.path}`, status: answer.status, at: new Date().toISOString() },
    // Field paths without values, which may be personal data.
    message: `${call.path}: ${z.prettifyError(parsed.error)}`,
  });
}
