/** What sets the OAuth endpoints apart from the others: they take forms only, and answer errors as RFC 6749 does. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ServiceError } from '../../core/runtime/errors.ts';
import { OauthError } from '../http/oauth-error.ts';
import { asProblem, logRefusal } from './problems.ts';

/** Enough for the longest token, scope and secret many times over. */
const maxFormBytes = 64 * 1024;

/** Applies to the routes that are added in this scope. */
export function answerAsOauth(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    async (_request: unknown, body: string) => parseOauthForm(body),
  );
  scope.addHook('preValidation', async request => {
    // So that a request without a body is told what is missing.
    request.body ??= {};
  });
  scope.setErrorHandler((error, request, reply) => {
    const refused = error instanceof OauthError ? error : translate(asProblem(error));
    logRefusal(request, refused);
    return send(reply, refused);
  });
}

/** What went wrong before or behind the operation, in the words RFC 6749 has for it. */
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
        ? `The body is larger than the ${maxFormBytes} bytes that are accepted.`
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
 * A parameter without a value counts as left out.
 * @throws OauthError invalid_request when one is given more than once
 */
export function parseOauthForm(body: string): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) throw new OauthError('invalid_request', `${name} is given more than once.`);
    form.set(name, value);
  }
  return Object.fromEntries([...form].filter(([, value]) => value !== ''));
}
