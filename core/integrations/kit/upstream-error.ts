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

/**
 * - `rejected`: the call is wrong, or may not be made; a retry would be rejected as well.
 * - `limit`: we exceeded a rate limit of the vendor.
 * - `failing`: the system answered that it failed.
 * - `unreachable`: the call was not sent.
 * - `no-answer`: the call was sent, and its answer did not arrive.
 * - `paused`: no call can be sent before `retryAfterMs`: the circuit is open, or the rate limit leaves no room.
 * - `incomplete`: what the system has returned is not whole, or not up to date yet.
 * - `unclear`: the answer cannot be read.
 * - `repeated`: only this call fails, each time; a retry at once is useless.
 */
export type FailureKind = keyof typeof facts;

/**
 * `transient`: a retry may succeed. `maybeExecuted`: the vendor may have executed the call all the same, so that a create
 * is looked up, not retried. `isDown`: the system itself is down; such failures open the circuit. `isOutage`: the system,
 * and not the call, is at fault.
 */
const facts = {
  rejected: { transient: false, maybeExecuted: false, isDown: false, isOutage: false },
  limit: { transient: true, maybeExecuted: false, isDown: false, isOutage: true },
  failing: { transient: true, maybeExecuted: true, isDown: true, isOutage: true },
  unreachable: { transient: true, maybeExecuted: false, isDown: true, isOutage: true },
  'no-answer': { transient: true, maybeExecuted: true, isDown: true, isOutage: true },
  paused: { transient: true, maybeExecuted: false, isDown: false, isOutage: true },
  incomplete: { transient: true, maybeExecuted: false, isDown: false, isOutage: false },
  unclear: { transient: false, maybeExecuted: true, isDown: false, isOutage: false },
  repeated: { transient: true, maybeExecuted: false, isDown: false, isOutage: false },
};

export interface UpstreamFailure {
  kind: FailureKind;
  /** How the call itself failed, when `kind` says what follows from it, such as `paused` for the failure that opened the circuit. */
  after?: FailureKind;
  system: string;
  /** HTTP status; absent without an answer. */
  status?: number;
  /** The vendor's error code. */
  code?: string;
  /** The vendor's whole text; for connectors, never for callers and logs. */
  message?: string;
  /** The delay that the vendor, or its rate limit, asks for. */
  retryAfterMs?: number;
  /** The call that failed; while calls are paused, the last one that failed before. */
  call?: Omit<UpstreamCall, 'system'> | undefined;
  cause?: unknown;
}

/** A vendor system failed, rejected a call, or did not answer; the API answers 502, 503 or 504. */
export class UpstreamError extends ServiceError {
  readonly failure: Readonly<UpstreamFailure>;

  constructor(code: ErrorCode, detail: string, failure: UpstreamFailure) {
    const { kind, retryAfterMs, cause } = failure;
    super(code, detail, {
      transient: facts[kind].transient,
      cause,
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
    });
    this.failure = failure;
  }

  get maybeExecuted(): boolean {
    return facts[callKind(this.failure)].maybeExecuted;
  }

  get isDown(): boolean {
    return facts[this.failure.kind].isDown;
  }

  override get upstream(): UpstreamCall | undefined {
    const { system, call } = this.failure;
    return call && { system, ...call };
  }

  /** Without the vendor's message, which may repeat what was sent. */
  override get logFields(): Readonly<Record<string, unknown>> {
    const { kind, system, status, code, call } = this.failure;
    return { upstream: { system, kind, status, code, ...call } };
  }
}

/** How the call itself failed. */
export const callKind = ({ kind, after = kind }: UpstreamFailure): FailureKind => after;

/** The failure when the system, and not the call, is at fault: a job then waits, and the attempt does not count. */
export function outageOf(error: unknown): UpstreamFailure | undefined {
  if (!(error instanceof UpstreamError)) return undefined;
  return facts[error.failure.kind].isOutage ? error.failure : undefined;
}

/** The failure of a call that another call needed first, such as the one for an access token. */
export function beforeSending(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const { after: _, ...failure } = error.failure;
  const kind = notSent[failure.kind] ?? failure.kind;
  return new UpstreamError(error.code, error.message, { ...failure, kind, cause: error });
}

const notSent: Partial<Record<FailureKind, FailureKind>> = {
  failing: 'unreachable',
  'no-answer': 'unreachable',
  unclear: 'rejected',
};

/** A list that arrived shorter than the vendor counted. */
export const incompleteList = (
  { name, title }: SystemName,
  what: string,
  { expected, received }: { expected: number; received: number },
): UpstreamError =>
  new UpstreamError('upstream-failed', `${title} counted ${expected} ${what} and returned ${received}.`, {
    kind: 'incomplete',
    system: name,
    code: 'incomplete',
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
  if (error instanceof UpstreamError) return !error.maybeExecuted;
  return error instanceof ServiceError;
}
