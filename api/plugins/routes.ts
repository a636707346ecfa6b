/** Registers operations as Fastify routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BadRow, withCallContext } from '../../core/integrations/kit/call-context.ts';
import { openDeadline } from '../../core/integrations/kit/deadline.ts';
import { bodyType } from '../document/describe-operation.ts';
import type { LoadedOperation } from '../http/load-operations.ts';
import type { Answer } from '../http/operation.ts';
import { parseInput } from '../http/parse-input.ts';
import { acceptsHtml, pageLanguageOf } from '../http/request-headers.ts';
import type { ApiServices } from '../services.ts';
import { answerOnce } from './idempotency.ts';
import { asProblem, logRejection } from './problems.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operationId?: string;
    /** The accepted content type. */
    bodyType?: string;
    /** Headers of every response. */
    headers?: Readonly<Record<string, string>>;
  }
}

export function addOperation(app: FastifyInstance, operation: LoadedOperation, services: ApiServices): void {
  app.route({
    method: operation.method,
    url: services.config.BASE_PATH + operation.path.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      scope: operation.scope,
      operationId: operation.id,
      bodyType: bodyType(operation),
      headers: deprecationHeaders(operation),
    },
    async handler(request, reply) {
      const { errorPage } = operation;
      if (!errorPage) return await answer(operation, services, request, reply);
      reply.header('vary', 'accept');
      return await answer(operation, services, request, reply).catch(async error => {
        if (!acceptsHtml(request)) throw error;
        const problem = asProblem(error);
        logRejection(request, problem);
        return send(reply.headers(problem.headers), await errorPage(problem, pageLanguageOf(request)));
      });
    },
  });
}

const deprecationHeaders = ({ deprecated }: LoadedOperation): Record<string, string> =>
  deprecated
    ? {
        // RFC 9745 section 2.1: a date as in structured fields (RFC 9651).
        deprecation: `@${Date.parse(deprecated.since) / 1_000}`,
        sunset: new Date(deprecated.sunset).toUTCString(),
      }
    : {};

async function answer(
  operation: LoadedOperation,
  services: ApiServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const input = await parseInput(operation, request, services);
  const disconnected = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort();
  });
  const call = { client: request.holder, services, request, signal: disconnected.signal };
  const onBadRow = (row: BadRow) => request.log.warn({ row }, 'a row of an outside system could not be read');
  const seconds = services.config.INTERACTIVE_DEADLINE_SECONDS;
  const deadline = openDeadline(seconds, disconnected.signal);
  const { signal } = deadline;
  const deadlineAt = Date.now() + seconds * 1_000;
  return withCallContext({ priority: 'interactive', signal, deadlineAt, onBadRow }, async ({ sandboxes }) => {
    deadline.start();
    const answered = await answerOnce(operation, input, call).finally(() => {
      deadline.clear();
      if (sandboxes.size > 0) reply.header('portal-sandbox', [...sandboxes].join(', '));
    });
    return send(reply, answered);
  });
}

const send = (reply: FastifyReply, { status, headers, body }: Answer): FastifyReply =>
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send(body);

/** Methods of a path; empty for an unknown path. */
export function allowedMethods(operations: readonly LoadedOperation[], base: string, path: string): string[] {
  const methods = operations
    .filter(operation => pathPattern(base + operation.path).test(path))
    .map(operation => operation.method);
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
}

const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);
