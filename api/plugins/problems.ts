/** Answers every error as a problem document (RFC 9457); the OAuth endpoints have a shape of their own. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asServiceError, type ErrorCode, ServiceError } from '../../core/runtime/errors.ts';
import { problemOf } from '../../core/runtime/problem.ts';
import type { OauthError } from '../http/oauth-error.ts';

/** What Fastify itself refuses, by its code's beginning. */
const fastifyRefusals: readonly [prefix: string, code: ErrorCode, detail: string][] = [
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload-too-large', 'The body is larger than the 5 MB that are accepted.'],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    'unsupported-media-type',
    'The body must be sent as the documented content type.',
  ],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'bad-request', 'The body is not valid JSON.'],
  ['FST_ERR_CTP_', 'bad-request', 'The body cannot be read.'],
  ['FST_ERR_BAD_URL', 'bad-request', 'The address cannot be read.'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not-found', 'There is no such path; a part of it is too long.'],
];

export function answerProblems(
  app: FastifyInstance,
  allowedMethods: (path: string) => readonly string[],
): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = asProblem(error);
    logRefusal(request, problem);
    return sendProblem(request, reply, problem);
  });

  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url.split('?')[0] ?? '');
    const error =
      allowed.length > 0
        ? new ServiceError('method-not-allowed', `This path answers ${allowed.join(', ')}.`, {
            headers: { allow: allowed.join(', ') },
          })
        : new ServiceError('not-found', 'There is no such path; the API document lists them all.');
    return sendProblem(request, reply, error);
  });
}

/** What Fastify refuses before there is a route, and so without the error handler. */
export const answerFrameworkError = (
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => sendProblem(request, reply, asProblem(error));

export function asProblem(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isDatabaseAway(error)) {
    return new ServiceError(
      'service-unavailable',
      'The database does not answer just now; try again shortly.',
      {
        cause: error,
        retryAfterSeconds: 2,
      },
    );
  }
  const code = isFastifyError(error) ? error.code : '';
  const refusal = fastifyRefusals.find(([prefix]) => code.startsWith(prefix));
  return refusal ? new ServiceError(refusal[1], refusal[2], { cause: error }) : asServiceError(error);
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(JSON.stringify(problemOf(error, request.originalUrl.split('?')[0] ?? '')));
}

export function logRefusal(request: FastifyRequest, error: ServiceError | OauthError): void {
  if (error.status >= 500) request.log.error({ err: error }, 'the request failed');
  else request.log.debug({ code: error.code, detail: error.message }, 'the request was refused');
}

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';

/** Connection errors of node-postgres, and PostgreSQL's class 57P (shutdown, crash, cannot connect now). */
function isDatabaseAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (/^(57P0[123]|08\w{3}|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT)$/.test(code)) return true;
    if (/connection terminated|timeout exceeded when trying to connect/i.test(cause.message)) return true;
  }
  return false;
}
