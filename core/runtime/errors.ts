/** The service's errors: a stable code, a public sentence, a private cause; HTTP status and retry-or-not come from one table. */

interface ErrorKind {
  status: number;
  title: string;
  /** A passing error may go away by itself: a job that meets it is tried again. */
  passing: boolean;
}

const kinds = {
  'bad-request': { status: 400, title: 'Bad request', passing: false },
  unauthorized: { status: 401, title: 'Unauthorized', passing: false },
  'insufficient-scope': { status: 403, title: 'Insufficient scope', passing: false },
  forbidden: { status: 403, title: 'Forbidden', passing: false },
  'not-found': { status: 404, title: 'Not found', passing: false },
  'method-not-allowed': { status: 405, title: 'Method not allowed', passing: false },
  'not-acceptable': { status: 406, title: 'Not acceptable', passing: false },
  conflict: { status: 409, title: 'Conflict', passing: false },
  gone: { status: 410, title: 'Gone', passing: false },
  'payload-too-large': { status: 413, title: 'Payload too large', passing: false },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type', passing: false },
  'range-not-satisfiable': { status: 416, title: 'Range not satisfiable', passing: false },
  'invalid-input': { status: 422, title: 'Invalid input', passing: false },
  'too-many-requests': { status: 429, title: 'Too many requests', passing: true },
  'internal-error': { status: 500, title: 'Internal error', passing: true },
  'upstream-failed': { status: 502, title: 'An outside system failed', passing: true },
  'upstream-timeout': { status: 504, title: 'An outside system did not answer in time', passing: true },
  'upstream-unavailable': { status: 503, title: 'An outside system is not available', passing: true },
  'system-not-configured': { status: 503, title: 'An outside system is not configured', passing: false },
  'service-unavailable': { status: 503, title: 'Service unavailable', passing: true },
  'job-timed-out': { status: 504, title: 'The job took too long', passing: false },
  'job-cancelled': { status: 409, title: 'The job was cancelled', passing: false },
  'job-superseded': { status: 409, title: 'The job was superseded', passing: false },
  'job-not-released': { status: 409, title: 'The held job was not released in time', passing: false },
  'job-not-begun': { status: 503, title: 'The job was not begun in time', passing: false },
  'message-not-permitted': { status: 403, title: 'The message must not be sent', passing: false },
  'photo-unavailable': { status: 422, title: 'A photo could not be had', passing: false },
  'browser-failed': { status: 500, title: 'The browser failed', passing: true },
  'page-contract-broken': { status: 500, title: 'The PDF has the wrong number of pages', passing: false },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof kinds;

/** One fault in the input; `pointer` is a JSON Pointer (RFC 6901) into the request body, or into `in`. */
export interface Fault {
  pointer: string;
  detail: string;
  /** A fault outside the body names its place, because its pointer does not lead into the body. */
  in?: 'path' | 'query' | undefined;
}

export interface ServiceErrorOptions {
  /** What went wrong inside; logged, never sent. */
  cause?: unknown;
  faults?: readonly Fault[];
  retryAfterSeconds?: number;
  /** Extra response headers, such as `WWW-Authenticate`. */
  headers?: Readonly<Record<string, string>>;
  /** Overrides the kind's own answer to "may it pass by itself?". */
  passing?: boolean;
}

/** An error whose message may be shown to the caller. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly passing: boolean;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /** Extra fields for the log; subclasses override it. */
  get logFields(): Readonly<Record<string, unknown>> {
    return {};
  }

  /** @param detail a public sentence: what happened and what the caller can do. */
  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    const kind = kinds[code];
    this.code = code;
    this.status = kind.status;
    this.title = kind.title;
    this.passing = options.passing ?? kind.passing;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}

/** What stands for an error that is none of ours: nothing of it is shown. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal-error', 'Something went wrong on our side; the log has the details.', {
    cause: error,
  });
}
