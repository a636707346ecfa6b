/** Bull Board at `/ops/queues`: operator login, read-only by default, without payloads. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../core/runtime/errors.ts';
import { scriptedPageHeaders } from '../http/html-page.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import { requireOperatorRole } from '../plugins/operator-role.ts';
import { acceptSessions, signInPath } from '../plugins/operator-session.ts';
import { rejectForged, requireOps } from '../plugins/ops-login.ts';
import { sendProblem } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';

export async function mountBoard(app: FastifyInstance, services: ApiServices): Promise<void> {
  const path = `${services.config.BASE_PATH}/ops/queues`;
  let opened: Promise<FastifyInstance> | undefined;
  // Loaded with the first request, because it takes a sixth of the API's start.
  const open = () => {
    opened ??= import('./bull-board.ts').then(({ openBullBoard }) => openBullBoard(services, path));
    return opened;
  };
  await app.register(async board => {
    skipTokenCheck(board);
    await acceptSessions(board, services);
    board.addHook('onRequest', async (request, reply) => {
      // Blocks the external font of Bull Board's page.
      reply.headers(scriptedPageHeaders);
      try {
        rejectForged(request, services);
        const operator = await requireOps(request, services);
        if (isChange(request)) requireOperatorRole(operator);
        rejectChange(request, services.config);
      } catch (error) {
        const signIn = signInPath(request, services.config);
        if (signIn !== undefined && error instanceof ServiceError && error.code === 'unauthorized')
          return reply.redirect(signIn, 303);
        // Bull Board's own error handler would answer 500.
        if (!(error instanceof ServiceError)) throw error;
        return sendProblem(request, reply, error);
      }
    });
    for (const url of [path, `${path}/*`])
      board.all(url, async (request, reply) => forward(await open(), request, reply));
  });
}

/** Answers with the reply of Bull Board, and as the API does where Bull Board has no page. */
async function forward(board: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { method, headers, body } = request;
  const payload = body === undefined || body === null ? {} : { payload: JSON.stringify(body) };
  const answer = await board.inject({ method, url: request.url, headers, ...payload });
  if (answer.statusCode === 404 && answer.body === '') reply.callNotFound();
  else reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
  return reply;
}

/** Bull Board itself answers 200 to some of the changes that it refuses. @throws ServiceError forbidden */
function rejectChange(request: FastifyRequest, { OPS_BOARD_WRITABLE: isWritable }: ApiServices['config']): void {
  if (isWritable || !isChange(request)) return;
  throw new ServiceError('forbidden', 'Bull Board is read-only; OPS_BOARD_WRITABLE=true allows changes.');
}

const isChange = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD';
