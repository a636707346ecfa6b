/** Bull Board at `/ops/queues`: behind a login of its own, read-only unless allowed, safe from forged requests. */
import { createBullBoard } from '@bull-board/api';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../core/runtime/errors.ts';
import { openToAll } from '../plugins/bearer.ts';
import { refuseForged, requireOps } from '../plugins/ops-login.ts';
import { sendProblem } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';
import { boardQueues } from './board-queues.ts';

const environments = {
  development: { label: 'development', color: '#2f6f4f' },
  test: { label: 'test', color: '#5b5b8c' },
  production: { label: 'production', color: '#a3352b' },
};

/** Its page would fetch a font from elsewhere, and so tell who looks at which queue. Styles are set by its scripts. */
const contentSecurityPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

export async function mountBoard(app: FastifyInstance, services: ApiServices): Promise<void> {
  const { BASE_PATH: base, NODE_ENV: environment } = services.config;
  const path = `${base}/ops/queues`;
  const adapter = new FastifyAdapter();
  adapter.setBasePath(path);
  createBullBoard({
    queues: boardQueues(services),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Portal Service',
        environment: { ...environments[environment], textColor: '#ffffff' },
        miscLinks: [{ text: 'Operations', url: `${base}/ops` }],
        overview: { groupByDelimiter: true },
        hideDocsLink: true,
        // With PostgreSQL there are no connections to count; /ops tells the workers on both backends.
        showWorkers: false,
      },
    },
  });
  await app.register(async board => {
    openToAll(board);
    board.addHook('onRequest', async (request, reply) => {
      reply.headers({
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
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
