/** Bull Board at `/ops/queues`: behind a login of its own, read-only unless allowed, safe from forged requests. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { equalHashes, sha256 } from '../../core/credentials.ts';
import { ServiceError } from '../../core/errors.ts';
import type { ApiServices } from '../services.ts';
import { bearerToken, openToAll, requireScope } from './bearer.ts';
import { sendProblem } from './problems.ts';

const scope = 'ops';

export async function mountBoard(app: FastifyInstance, services: ApiServices): Promise<void> {
  const path = `${services.config.BASE_PATH}/ops/queues`;
  const adapter = new FastifyAdapter();
  adapter.setBasePath(path);
  createBullBoard({
    queues: [...services.contracts.values()].map(
      contract =>
        new BullMQAdapter(services.queues.boardQueue(contract), {
          readOnlyMode: !services.config.OPS_BOARD_WRITABLE,
          description: contract.summary,
        }),
    ),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Portal Service' } },
  });
  await app.register(async board => {
    openToAll(board);
    board.addHook('onRequest', async (request, reply) => {
      try {
        refuseForged(request, services.publicUrl);
        await requireOps(request, services);
      } catch (error) {
        // Answered here: the board's own error handler would make a 500 of it.
        if (!(error instanceof ServiceError)) throw error;
        return sendProblem(request, reply, error);
      }
    });
    await board.register(adapter.registerPlugin(), { prefix: path });
  });
}

/** A browser sends the login by itself, so what another site makes it send must not change anything. */
function refuseForged(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  // A browser from before 2023 may tell the origin only; a program tells neither.
  const own = [new URL(publicUrl).origin, `${request.protocol}://${request.host}`];
  if (site === 'same-origin' || (site === undefined && (origin === undefined || own.includes(origin))))
    return;
  throw new ServiceError('forbidden', 'Queues are changed from the board itself only.');
}

/** @throws ServiceError unauthorized with a Basic challenge, so that a browser asks for the login */
async function requireOps(request: FastifyRequest, { config, oauth }: ApiServices): Promise<void> {
  const { authorization } = request.headers;
  const accessToken = bearerToken(authorization);
  const holder = accessToken === undefined ? undefined : await oauth.findHolder(accessToken);
  if (holder) return requireScope(holder, scope);
  const login = `${config.OPS_USER}:${config.OPS_PASSWORD}`;
  const configured = config.OPS_USER !== undefined && config.OPS_PASSWORD !== undefined;
  if (configured && equalHashes(sha256(basicLogin(authorization)), sha256(login))) return;
  throw new ServiceError('unauthorized', `Log in as OPS_USER, or send a token with the scope ${scope}.`, {
    headers: { 'www-authenticate': 'Basic realm="Portal Service operations", charset="UTF-8"' },
  });
}

const basicLogin = (authorization: string | undefined): string =>
  Buffer.from(/^basic +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '', 'base64').toString('utf8');
