/** Error of a guarded fetch: a reason for programs and a public clause for people. */

export type EgressReason =
  | 'url'
  | 'scheme'
  | 'credentials'
  | 'port'
  | 'address'
  | 'redirects'
  | 'encoding'
  | 'too-large'
  | 'timeout'
  | 'unreachable'
  | 'status';

export interface EgressErrorOptions {
  /** May contain internal addresses; logged, never sent. */
  cause?: unknown;
  /** HTTP status, for the reason `status`. */
  status?: number;
}

/** Statuses after which a retry may succeed (RFC 9110 §15, RFC 6585 §4). */
const transientStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * The fetch was rejected or failed. `message` is a public clause without a full stop ("the server answered 404"); it
 * contains no address except those in the caller's URL.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly reason: EgressReason;
  readonly status: number | undefined;

  constructor(reason: EgressReason, message: string, options: EgressErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = options.status;
  }

  /** Whether a retry may succeed. */
  get transient(): boolean {
    if (this.status !== undefined) return transientStatuses.has(this.status);
    return this.reason === 'timeout' || this.reason === 'unreachable';
  }
}
