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

  /**
   * @param cause may contain internal addresses; logged, never sent
   * @param status the HTTP status, for the reason `status`
   */
  constructor(reason: EgressReason, message: string, { cause, status }: { cause?: unknown; status?: number } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
  }

  /** Whether a retry may succeed. */
  get transient(): boolean {
    if (this.status !== undefined) return transientStatuses.has(this.status);
    return this.reason === 'timeout' || this.reason === 'unreachable';
  }
}
