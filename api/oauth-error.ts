/** An error of the OAuth endpoints, in the shape of RFC 6749 section 5.2. */
export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'server_error';

export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly code: OauthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param challenge the scheme the client tried to authenticate with, answered in WWW-Authenticate */
  constructor(code: OauthErrorCode, description: string, challenge?: 'Basic') {
    super(description);
    this.code = code;
    this.status = code === 'server_error' ? 503 : code === 'invalid_client' ? 401 : 400;
    this.headers = challenge ? { 'www-authenticate': 'Basic realm="portal-service"' } : {};
  }
}
