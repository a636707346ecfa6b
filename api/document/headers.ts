/** Headers of requests and responses in the API document. */
import type { ErrorCode } from '../../core/runtime/errors.ts';
import { anyScope, type Operation } from '../http/operation.ts';
import { type HeaderName, responseHeaders } from '../http/response-headers.ts';
import type { JsonObject } from './examples.ts';

const ofProblems: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  unauthorized: ['WWW-Authenticate'],
  'insufficient-scope': ['WWW-Authenticate'],
  conflict: ['Retry-After', 'Link'],
  'message-not-permitted': ['Retry-After'],
  'unsupported-media-type': ['Accept'],
  'range-not-satisfiable': ['Content-Range'],
};

/** @param codes the problem types of the response; none of a success */
export function headersOf(operation: Operation, status: number, codes: readonly ErrorCode[] = []): JsonObject {
  const { scope, style, idempotent, startsJob, calls = [], deprecated, errorPage, request } = operation;
  const isJob = startsJob !== undefined && status < 300;
  // A request for the file of a job that has none gets the problem of the job.
  const mayBeOfJob = startsJob !== undefined && operation.answers[200]?.orContentType !== undefined;
  const waits = status === 429 || status === 503 || (isJob && status === 202);
  const isCounted = scope !== null && status !== 401;
  const isPage = status === 200 && request.query?.shape.cursor !== undefined;
  const names: readonly HeaderName[] = [
    'X-Request-Id',
    'Cache-Control',
    ...(operation.answers[status]?.headers ?? []),
    ...codes.flatMap(code => ofProblems[code] ?? []),
    ...(waits ? (['Retry-After'] as const) : []),
    ...(isJob ? (['Location', 'Vary', 'Preference-Applied', 'Portal-Existing-Job'] as const) : []),
    ...(mayBeOfJob && isCounted ? (['Location'] as const) : []),
    ...(isPage ? (['Link'] as const) : []),
    ...(isCounted ? (['RateLimit', 'RateLimit-Policy'] as const) : []),
    ...(idempotent && (status < 300 || status === 409) ? (['Idempotent-Replayed'] as const) : []),
    ...(calls.length > 0 || scope === anyScope || isJob ? (['Portal-Sandbox'] as const) : []),
    ...(errorPage ? (['Vary'] as const) : []),
    ...(style === 'oauth' ? (['Pragma'] as const) : []),
    ...(style === 'oauth' && status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(deprecated ? (['Deprecation', 'Sunset'] as const) : []),
  ];
  return Object.fromEntries([...new Set(names)].map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers that the responses refer to. */
export function headerComponents(...responses: readonly JsonObject[]): JsonObject {
  const text = JSON.stringify(responses);
  const used = Object.entries(responseHeaders).filter(([name]) => text.includes(`"#/components/headers/${name}"`));
  return Object.fromEntries(used.map(([name, description]) => [name, { description, schema: { type: 'string' } }]));
}

const idempotencyKey =
  'A key chosen by the client, such as a UUID; with or without quotes. Repeating the same request with the key within ' +
  '24 hours returns the first answer, marked `Idempotent-Replayed: true`, or the current state of the job that the ' +
  'request started. A different request with the key: 422. While the first request is in progress: 409 with ' +
  '`Retry-After`. A failed request releases the key.';
const secretKey =
  'A key chosen by the client, such as a UUID; with or without quotes. The answer contains a secret and is not stored: ' +
  'repeating the same request with the key within 24 hours has no effect and returns 409.';
const prefer =
  'RFC 7240: `wait=N` waits up to N seconds for the job; `respond-async` does not wait, whatever `Accept` contains; ' +
  '`cancel-on-disconnect` cancels the job when you disconnect during the wait; ' +
  '`handling=strict` rejects unsupported preferences. `Preference-Applied` lists what was applied.';

/** The request headers of an operation, as parameters. */
export function headerParameters({ idempotent, startsJob, answers }: Operation): JsonObject[] {
  const header = (name: string, description: string, schema: JsonObject = {}): JsonObject[] => [
    { name, in: 'header', description, schema: { type: 'string', ...schema } },
  ];
  const key = { minLength: 1, maxLength: 255 };
  return [
    ...(idempotent ? header('Idempotency-Key', idempotent === 'secret' ? secretKey : idempotencyKey, key) : []),
    ...(startsJob === undefined ? [] : header('Prefer', prefer)),
    ...(answers[304] ? header('If-None-Match', 'The `ETag` of a copy: 304 when it is still current.') : []),
    ...(answers[206] ? header('Range', 'The wanted part of the file, such as `bytes=0-1023`.') : []),
    ...(answers[206] ? header('If-Range', 'The `ETag` of a copy: the whole file when it has changed.') : []),
    ...(answers[200]?.contentType === 'text/event-stream'
      ? header('Last-Event-ID', 'Id of the last received event: the stream continues after it.')
      : []),
  ];
}
