/** OAuth endpoints take forms only (RFC 6749 section 3.2) and answer errors as section 5.2 requires. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServiceError } from '../../core/runtime/errors.ts';
import { OauthError } from '../http/oauth-error.ts';
import { asProblem, logRejection } from './problems.ts';

const maxFormBytes = 64 * 1024;

/** Applies to the routes of this scope. */
export function answerAsOauth(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: unknown, body: string) => parseOauthForm(body),
  );
  scope.addHook('preValidation', async request => {
    // So that the parameter check reports what is missing.
    request.body ??= {};
  });
  scope.setErrorHandler((error, request, reply) => {
    const oauthError = error instanceof OauthError ? error : translate(asProblem(error));
    logRejection(request, oauthError);
    return send(reply, oauthError);
  });
}

/** Maps a service error to an RFC 6749 error code. */
function translate(error: ServiceError): OauthError {
  const options = { cause: error.cause, retryAfterSeconds: error.retryAfterSeconds };
  if (error.code === 'service-unavailable') {
    return new OauthError('temporarily_unavailable', error.message, options);
  }
  if (error.status >= 500) return new OauthError('server_error', error.message, options);
  const detail =
    error.code === 'unsupported-media-type'
      ? 'The body must be a form: application/x-www-form-urlencoded.'
      : error.code === 'payload-too-large'
        ? `The body is larger than ${maxFormBytes} bytes.`
        : error.message;
  return new OauthError('invalid_request', detail, options);
}

const send = (reply: FastifyReply, error: OauthError): FastifyReply =>
  reply
    .code(error.status)
    .headers(error.headers)
    .header('cache-control', 'no-store')
    .header('pragma', 'no-cache')
    .send({ error: error.code, error_description: error.message });

/**
 * Ignores parameters without a value.
 * @throws OauthError invalid_request for a repeated parameter
 */
export function parseOauthForm(body: string): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) throw new OauthError('invalid_request', `${name} is given more than once.`);
    form.set(name, value);
  }
  return Object.fromEntries([...form].filter(([, value]) => value !== ''));
}
