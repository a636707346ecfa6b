/** Why a fetch of an address from outside did not give an answer: a reason to act on and a clause that may be shown. */

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

export interface EgressRefusedOptions {
  /** What happened inside, internal addresses included; logged, never sent. */
  cause?: unknown;
  /** The HTTP status, when the reason is `status`. */
  status?: number;
}

/** Statuses that ask to come back later (RFC 9110 §15, RFC 6585 §4). */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * The fetch was refused or failed. `message` is a public clause without a full stop ("the server answered 404"):
 * it names no address that the caller's own URL did not name.
 */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly reason: EgressReason;
  readonly status: number | undefined;

  constructor(reason: EgressReason, message: string, options: EgressRefusedOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.status = options.status;
  }

  /** Whether the same fetch may succeed a little later. */
  get passing(): boolean {
    if (this.status !== undefined) return passingStatuses.has(this.status);
    return this.reason === 'timeout' || this.reason === 'unreachable';
  }
}
