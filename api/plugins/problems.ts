/** Answers errors as problem documents (RFC 9457); OAuth endpoints have their own format. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isCausedByOutage } from '../../core/postgres/pool-errors.ts';
import { asServiceError, type ErrorCode, problemOf, publicProblem, ServiceError } from '../../core/runtime/errors.ts';
import type { OauthError } from '../http/oauth-error.ts';

/** Errors of Fastify by code prefix. */
const fastifyErrors: readonly [prefix: string, code: ErrorCode, detail: string][] = [
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'payload-too-large', 'The body is larger than 5 MB.'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported-media-type', 'The content type is not supported.'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'bad-request', 'The body is not valid JSON.'],
  ['FST_ERR_CTP_', 'bad-request', 'The body cannot be read.'],
  ['FST_ERR_BAD_URL', 'bad-request', 'The URL is malformed.'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'not-found', 'There is no such path; a segment of it is too long.'],
];

declare module 'fastify' {
  interface FastifyInstance {
    /** Address of the API, with its base path. */
    apiUrl: string;
  }
}

export function answerProblems(
  app: FastifyInstance,
  apiUrl: string,
  allowedMethods: (path: string) => readonly string[],
): void {
  app.decorate('apiUrl', apiUrl);
  app.setErrorHandler((error, request, reply) => {
    const problem = withAcceptedTypes(asProblem(error), request);
    logRejection(request, problem);
    return sendProblem(request, reply, problem);
  });

  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.url.split('?')[0] ?? '');
    const error =
      allowed.length > 0
        ? new ServiceError('method-not-allowed', `This path supports ${allowed.join(', ')}.`, {
            headers: { allow: allowed.join(', ') },
          })
        : new ServiceError('not-found', 'There is no such path; the API document lists all paths.');
    return sendProblem(request, reply, error);
  });
}

/** Errors before routing, which Fastify does not pass to the error handler. */
export const answerFrameworkError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendProblem(request, reply, asProblem(error));

export function asProblem(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isCausedByOutage(error)) {
    return new ServiceError('service-unavailable', 'The database is unavailable; try again shortly.', {
      cause: error,
      retryAfterSeconds: 2,
    });
  }
  const code = isFastifyError(error) ? error.code : '';
  const known = fastifyErrors.find(([prefix]) => code.startsWith(prefix));
  return known ? new ServiceError(known[1], known[2], { cause: error }) : asServiceError(error);
}

/** RFC 9110 section 15.5.16: names the accepted content types, also in `Accept`. */
function withAcceptedTypes(error: ServiceError, { routeOptions, headers }: FastifyRequest): ServiceError {
  if (error.code !== 'unsupported-media-type') return error;
  const accept = routeOptions.config.bodyType ?? 'application/json';
  const given = headers['content-type'] === undefined ? 'is missing' : `${headers['content-type']} is not supported`;
  return new ServiceError(error.code, `The content type ${given}; send ${accept}.`, {
    cause: error,
    headers: { accept },
  });
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  return reply
    .code(error.status)
    .headers(error.headers)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .send(
      JSON.stringify(publicProblem(problemOf(error, request.originalUrl.split('?')[0] ?? ''), request.server.apiUrl)),
    );
}

export function logRejection(request: FastifyRequest, error: ServiceError | OauthError): void {
  if (error.status >= 500) request.log.error({ err: error }, 'request failed');
  else request.log.debug({ code: error.code, detail: error.message }, 'request rejected');
}

const isFastifyError = (error: unknown): error is FastifyError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
