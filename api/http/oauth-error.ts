/** Error of the OAuth endpoints, in the shape of RFC 6749 section 5.2. */
import { z } from 'zod';

export const OauthErrorCode = z.enum([
  'invalid_request',
  'invalid_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
  'server_error',
]);
export type OauthErrorCode = z.infer<typeof OauthErrorCode>;

/** Statuses by code; the other codes have 400. */
const statuses: Partial<Record<OauthErrorCode, number>> = {
  invalid_client: 401,
  /** The database is down; the code is from section 4.1.2.1. */
  temporarily_unavailable: 503,
  server_error: 500,
};

export interface OauthErrorOptions {
  cause?: unknown;
  /** Adds `WWW-Authenticate`: the client used the Authorization header. */
  challenge?: 'Basic';
  /** Status 429 instead of the code's own. */
  tooMany?: boolean;
  retryAfterSeconds?: number | undefined;
}

const maxDescription = 500;

export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly code: OauthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param description characters that are not allowed in `error_description` are replaced */
  constructor(code: OauthErrorCode, description: string, options: OauthErrorOptions = {}) {
    super(printable(description), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.tooMany ? 429 : (statuses[code] ?? 400);
    this.headers = {
      ...(options.challenge && { 'www-authenticate': `${options.challenge} realm="portal-service"` }),
      ...(options.retryAfterSeconds !== undefined && { 'retry-after': String(options.retryAfterSeconds) }),
    };
  }
}

/** Section 5.2: %x20-21 / %x23-5B / %x5D-7E. Truncated, because it may contain input. */
const printable = (text: string): string =>
  text.slice(0, maxDescription).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
