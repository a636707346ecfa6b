/** The service's errors and the problem documents (RFC 9457) made of them. One table maps a code to status and retry. */
import { z } from 'zod';
import { isDiskFull } from './error-code.ts';

interface ErrorKind {
  status: number;
  title: string;
  /** A transient error may disappear without a change: a job that fails with it is retried. */
  transient: boolean;
}

export const errorKinds = {
  'bad-request': { status: 400, title: 'Bad request', transient: false },
  unauthorized: { status: 401, title: 'Unauthorized', transient: false },
  'insufficient-scope': { status: 403, title: 'Insufficient scope', transient: false },
  forbidden: { status: 403, title: 'Forbidden', transient: false },
  'not-found': { status: 404, title: 'Not found', transient: false },
  'method-not-allowed': { status: 405, title: 'Method not allowed', transient: false },
  'not-acceptable': { status: 406, title: 'Not acceptable', transient: false },
  conflict: { status: 409, title: 'Conflict', transient: false },
  gone: { status: 410, title: 'Gone', transient: false },
  'payload-too-large': { status: 413, title: 'Payload too large', transient: false },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type', transient: false },
  'range-not-satisfiable': { status: 416, title: 'Range not satisfiable', transient: false },
  'invalid-input': { status: 422, title: 'Invalid input', transient: false },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused', transient: false },
  'too-many-requests': { status: 429, title: 'Too many requests', transient: true },
  'internal-error': { status: 500, title: 'Internal error', transient: true },
  'upstream-failed': { status: 502, title: 'An outside system failed', transient: true },
  'upstream-timeout': { status: 504, title: 'An outside system did not answer in time', transient: true },
  'upstream-unavailable': { status: 503, title: 'An outside system is not available', transient: true },
  'system-not-configured': { status: 503, title: 'An outside system is not configured', transient: false },
  'waiting-for-system': { status: 503, title: 'The job waits for an outside system', transient: true },
  'effect-pending': { status: 503, title: 'An earlier attempt may still take effect', transient: true },
  'storage-unavailable': { status: 503, title: 'The store of results does not answer', transient: true },
  'storage-full': { status: 503, title: 'No space is left on a disk', transient: true },
  'service-unavailable': { status: 503, title: 'Service unavailable', transient: true },
  'job-timed-out': { status: 504, title: 'The job took too long', transient: false },
  'job-cancelled': { status: 409, title: 'The job was cancelled', transient: false },
  'job-superseded': { status: 409, title: 'The job was superseded', transient: false },
  'job-not-released': { status: 409, title: 'The held job was not released in time', transient: false },
  'job-not-begun': { status: 503, title: 'The job did not start in time', transient: false },
  'message-not-permitted': { status: 403, title: 'The message must not be sent', transient: false },
  'consent-missing': { status: 422, title: 'There is no evidence of consent', transient: false },
  'mail-rejected': { status: 422, title: 'The mail server refused the mail', transient: false },
  'mail-outcome-unknown': { status: 502, title: 'The mail may have been sent', transient: false },
  'photo-unavailable': { status: 422, title: 'A photo is unavailable', transient: false },
  'worker-died': { status: 500, title: 'The worker died', transient: false },
  'browser-failed': { status: 500, title: 'The browser failed', transient: true },
  'page-contract-broken': { status: 500, title: 'The PDF has the wrong number of pages', transient: false },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;
// The table is a literal without other members.
export const ErrorCode = z.enum(Object.keys(errorKinds) as ErrorCode[]);

/** One error in the input; `pointer` is a JSON Pointer (RFC 6901) into the request body, or into `in`. */
export interface Fault {
  pointer: string;
  detail: string;
  /** The part of the request outside the body that the pointer refers to. */
  in?: 'path' | 'query' | undefined;
}

export interface ServiceErrorOptions {
  /** The internal cause; logged, never sent. */
  cause?: unknown;
  faults?: readonly Fault[];
  retryAfterSeconds?: number;
  /** Extra response headers, such as `WWW-Authenticate`. */
  headers?: Readonly<Record<string, string>>;
  /** Extra members of the problem document. */
  members?: Readonly<Record<string, unknown>>;
  /** Overrides the code's default. */
  transient?: boolean;
}

/** An error whose message may be shown to the caller. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly transient: boolean;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  /** The last call to an outside system, when its failure is the cause; subclasses override it. */
  get upstream(): UpstreamCall | undefined {
    return undefined;
  }

  /** Extra fields for the log; subclasses override it. */
  get logFields(): Readonly<Record<string, unknown>> {
    return {};
  }

  /** @param detail a public sentence: what happened and what the caller can do */
  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    const kind = errorKinds[code];
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.transient = options.transient ?? kind.transient;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
    this.members = options.members ?? {};
  }
}

const maxFaults = 500;

/** @param detail by default the number of faults, of which the first 500 are listed */
export function invalidInput(faults: readonly Fault[], detail?: string): ServiceError {
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  return new ServiceError('invalid-input', detail ?? `The input has ${count}.`, { faults: faults.slice(0, maxFaults) });
}

/** Wraps any other error as `storage-full` or `internal-error`; its text stays private. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDiskFull(error)) {
    const detail = 'No space is left on a disk of the service; its operator has to free some.';
    return new ServiceError('storage-full', detail, { cause: error, retryAfterSeconds: 60 });
  }
  return new ServiceError('internal-error', 'Something went wrong on our side; the log has the details.', {
    cause: error,
  });
}

/** A call to an outside system that failed. */
const UpstreamCall = z.object({
  system: z.string().describe('Such as `crm`.'),
  operation: z.string().describe('Method and path of the call, or what it does.'),
  // Events leave out members that are null.
  status: z.int().nullable().default(null).describe('HTTP status of the answer; null without one.'),
  at: z.iso.datetime().describe('Time of the answer, or of the failure without one.'),
});
export type UpstreamCall = z.infer<typeof UpstreamCall>;

/** A problem document (RFC 9457), as stored with a job: its `type` is a URN, which does not depend on the configuration. */
export const Problem = z.object({
  type: z.string().describe('Address of the page that explains this type of problem.'),
  title: z.string().describe('The type of problem in a few words.'),
  status: z.int().describe('HTTP status.'),
  detail: z.string().describe('What was wrong, and what to do.'),
  instance: z.string().optional().describe('Path of the request, or of the job that failed.'),
  errors: z
    .array(
      z.object({
        pointer: z.string().describe('JSON Pointer (RFC 6901) into the request body, or into `in`.'),
        detail: z.string().describe('What the value must be, and what it was.'),
        in: z.enum(['path', 'query']).optional().describe('Absent: in the body.'),
      }),
    )
    .optional()
    .describe('Every fault of the input, the first 500.'),
  upstream: UpstreamCall.optional().describe('The last call to the outside system that caused the problem.'),
});
export type Problem = z.infer<typeof Problem>;

/** A problem document as callers get it, the same for a failed request and a failed job. */
export const PublicProblem = Problem.extend({
  code: ErrorCode.describe('The type of problem as a stable word: the last segment of `type`.'),
}).meta({ id: 'Problem' });
export type PublicProblem = z.infer<typeof PublicProblem>;

const typePrefix = 'urn:portal-service:problem:';

/** The type as it is stored, independent of the service's address. */
export const problemType = (code: ErrorCode): string => typePrefix + code;

/** The type becomes the address of the page about it. @param apiUrl address of the API, with its base path */
export function publicProblem({ type, ...problem }: Problem, apiUrl: string): PublicProblem {
  // Another version of the service may have stored a type that this one does not know.
  const code = ErrorCode.catch('internal-error').parse(type.replace(typePrefix, ''));
  return { type: `${apiUrl}/problems/${code}`, code, ...problem };
}

/** @param instance path of the request or job */
export function problemOf(error: ServiceError, instance: string): Problem {
  return {
    type: problemType(error.code),
    title: error.title,
    status: error.status,
    detail: error.message,
    instance,
    ...(error.faults.length > 0 && { errors: [...error.faults] }),
    ...(error.upstream && { upstream: error.upstream }),
    ...error.members,
  };
}

/** Its detail, with the last answer of the outside system. */
export function problemText({ detail, upstream }: Problem): string {
  if (!upstream) return detail;
  const { system, operation, status, at } = upstream;
  return `${detail} (${system}, ${operation}: ${status === null ? 'no answer' : `status ${status}`}, ${at})`;
}
