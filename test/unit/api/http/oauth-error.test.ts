import { expect, it } from 'vitest';
import { OauthError } from '../../../../api/http/oauth-error.ts';

it.each([
  ['invalid_request', 400],
  ['invalid_client', 401],
  ['unsupported_grant_type', 400],
  ['invalid_scope', 400],
  ['temporarily_unavailable', 503],
  ['server_error', 500],
] as const)('maps %s to status %i', (code, status) => {
  expect(new OauthError(code, 'No.')).toMatchObject({ code, status, headers: {} });
});

it('has status 429 and Retry-After for too many requests', () => {
  const error = new OauthError('temporarily_unavailable', 'No.', { tooMany: true, retryAfterSeconds: 7 });
  expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
});

it('removes characters that RFC 6749 section 5.2 forbids, and truncates to 500', () => {
  const every = String.fromCodePoint(...Array.from({ length: 0x180 }, (_, code) => code));
  expect(new OauthError('invalid_scope', every).message).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(new OauthError('invalid_scope', 'x'.repeat(10_000)).message).toHaveLength(500);
});
