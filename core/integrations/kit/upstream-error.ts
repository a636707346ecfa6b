/** What goes wrong between us and an outside system, in words that callers may see; the vendor's own stay in the log. */
import { type ErrorCode, ServiceError } from '../../runtime/errors.ts';

export interface SystemName {
  /** The word that folders, headers and logs use, such as `crm`. */
  name: string;
  /** For sentences, such as `The CRM`. */
  title: string;
}

export interface UpstreamFailure {
  system: string;
  /** The HTTP status; absent when no answer came. */
  status?: number;
  /** The vendor's error code. */
  code?: string;
  /** The vendor's sentence; for the log and for connectors, never for callers. */
  message?: string;
  /** Whether it may pass by itself. */
  passing: boolean;
  /** Whether the system may have done what it was told all the same: a create is then looked up, not repeated. */
  mayHaveRun: boolean;
  /** How long the system, or its limit, asks us to wait. */
  retryAfterMs?: number;
  /** Whether the system itself is down: such failures open the circuit. */
  down?: boolean;
  /** Whether our use of the system is over its limit. */
  overLimit?: boolean;
  cause?: unknown;
}

/** An outside system failed, refused, or did not answer; unhandled it becomes 502, 503 or 504. */
export class UpstreamError extends ServiceError {
  readonly failure: Readonly<UpstreamFailure>;

  constructor(code: ErrorCode, detail: string, failure: UpstreamFailure) {
    const { retryAfterMs, passing, cause } = failure;
    super(code, detail, {
      passing,
      cause,
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
    });
    this.failure = failure;
  }

  /** Without the vendor's message, which may repeat what was sent. */
  override get logFields(): Readonly<Record<string, unknown>> {
    const { system, status, code, mayHaveRun } = this.failure;
    return { upstream: { system, status, code, mayHaveRun } };
  }
}
