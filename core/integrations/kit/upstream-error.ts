/** Failures of vendor systems. `message` may be shown to callers and contains the vendor's text scrubbed. */
import { type ErrorCode, ServiceError, type UpstreamCall } from '../../runtime/errors.ts';

export interface SystemName {
  /** For folders, headers and logs, such as `crm`. */
  name: string;
  /** For sentences, such as `The CRM`. */
  title: string;
  /** The setting with its address. */
  setting?: string;
}

/** The title within a sentence, such as `the CRM`. */
export const nameOf = ({ title }: SystemName): string => title.replace(/^The /, 'the ');

export interface UpstreamFailure {
  system: string;
  /** HTTP status; absent without an answer. */
  status?: number;
  /** The vendor's error code. */
  code?: string;
  /** The vendor's whole text; for connectors, never for callers and logs. */
  message?: string;
  /** Whether a retry may succeed. */
  transient: boolean;
  /** Whether the vendor may have executed the call all the same: a create is then looked up, not retried. */
  maybeExecuted: boolean;
  /** The delay that the vendor, or its rate limit, asks for. */
  retryAfterMs?: number;
  /** Whether the system itself is down: such failures open the circuit. */
  down?: boolean;
  /** Only this call fails, each time: a retry at once is useless. */
  repeated?: boolean;
  /** Whether we exceeded a rate limit of the vendor. */
  overLimit?: boolean;
  /** No call can be sent before `retryAfterMs`: the circuit is open, or the rate limit leaves no room. */
  unavailable?: boolean;
  /** The call that failed; while calls are paused, the last one that failed before. */
  call?: Omit<UpstreamCall, 'system'> | undefined;
  cause?: unknown;
}

/** A vendor system failed, rejected a call, or did not answer; the API answers 502, 503 or 504. */
export class UpstreamError extends ServiceError {
  readonly failure: Readonly<UpstreamFailure>;

  constructor(code: ErrorCode, detail: string, failure: UpstreamFailure) {
    const { retryAfterMs, transient, cause } = failure;
    super(code, detail, {
      transient,
      cause,
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
    });
    this.failure = failure;
  }

  override get upstream(): UpstreamCall | undefined {
    const { system, call } = this.failure;
    return call && { system, ...call };
  }

  /** Without the vendor's message, which may repeat what was sent. */
  override get logFields(): Readonly<Record<string, unknown>> {
    const { system, status, code, maybeExecuted, call } = this.failure;
    return { upstream: { system, status, code, maybeExecuted, ...call } };
  }
}

/** The failure when the system, and not the call, is at fault: a job then waits, and the attempt does not count. */
export function outageOf(error: unknown): UpstreamFailure | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  const { unavailable, down, overLimit } = error.failure;
  return unavailable || down || overLimit ? error.failure : undefined;
}

/** The failure of a call that another call needed first, such as the one for an access token. */
export const beforeSending = (error: unknown): unknown =>
  error instanceof UpstreamError
    ? new UpstreamError(error.code, error.message, { ...error.failure, maybeExecuted: false, cause: error })
    : error;

/** A list that arrived shorter than the vendor counted. */
export const incompleteList = (
  { name, title }: SystemName,
  what: string,
  { expected, received }: { expected: number; received: number },
): UpstreamError =>
  new UpstreamError('upstream-failed', `${title} counted ${expected} ${what} and returned ${received}.`, {
    ...{ system: name, code: 'incomplete', transient: true, maybeExecuted: false },
  });

/** Maps the vendor's 404 to undefined. */
export async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.status === 404) return undefined;
    throw error;
  }
}

/** Maps the vendor's 404 to false, a success to true. */
export const orFalse = async (call: Promise<unknown>): Promise<boolean> =>
  (await orUndefined(call.then(() => true))) ?? false;

/** Whether the vendor has finished the failed call: 502–504 come from a proxy; the vendor may still be executing it. */
export function hasFinished(error: unknown): boolean {
  const status = error instanceof UpstreamError ? error.failure.status : undefined;
  return status !== undefined && ![502, 503, 504].includes(status);
}

/** Connectors convert rejections to a ServiceError; any other error may have occurred after the vendor executed the call. */
export function definitelyNotExecuted(error: unknown): boolean {
  if (error instanceof UpstreamError) return !error.failure.maybeExecuted;
  return error instanceof ServiceError;
}
