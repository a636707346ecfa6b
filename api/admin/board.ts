/** Bull Board at `/ops/queues`: operator login, read-only by default, without payloads. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JobContract } from '../../core/jobs/contract.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { scriptedPageHeaders } from '../http/html-page.ts';
import { skipTokenCheck } from '../plugins/bearer.ts';
import { rejectForged, requireOps } from '../plugins/ops-login.ts';
import { sendProblem } from '../plugins/problems.ts';
import type { ApiServices } from '../services.ts';

const environments = {
  development: { label: 'development', color: '#2f6f4f' },
  test: { label: 'test', color: '#5b5b8c' },
  production: { label: 'production', color: '#a3352b' },
};

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
        // The PostgreSQL backend has no Redis connections to count; /ops shows the workers of both backends.
        showWorkers: false,
      },
    },
  });
  await app.register(async board => {
    skipTokenCheck(board);
    board.addHook('onRequest', async (request, reply) => {
      // Blocks the external font of Bull Board's page.
      reply.headers(scriptedPageHeaders);
      try {
        rejectForged(request, services.publicUrl);
        await requireOps(request, services);
        rejectChange(request, services.config);
      } catch (error) {
        // Bull Board's own error handler would answer 500.
        if (!(error instanceof ServiceError)) throw error;
        return sendProblem(request, reply, error);
      }
    });
    await board.register(adapter.registerPlugin(), { prefix: path });
  });
}

/** Bull Board itself answers 200 to some of the changes that it refuses. @throws ServiceError forbidden */
function rejectChange({ method }: FastifyRequest, { OPS_BOARD_WRITABLE: isWritable }: ApiServices['config']): void {
  if (isWritable || method === 'GET' || method === 'HEAD') return;
  throw new ServiceError('forbidden', 'Bull Board is read-only; OPS_BOARD_WRITABLE=true allows changes.');
}

/** Bull Board groups queues by the text before the delimiter. */
const delimiter = '.';
const prefixOf = ({ subject }: JobContract): string => (subject === undefined ? '' : subject + delimiter);

/** Address of a queue's page. */
export const boardUrl = (contract: JobContract, basePath: string): string =>
  `${basePath}/ops/queues/queue/${encodeURIComponent(prefixOf(contract) + contract.kind)}`;

function boardQueues({
  config,
  contracts,
  queues,
}: Pick<ApiServices, 'config' | 'contracts' | 'queues'>): BullMQAdapter[] {
  return [...contracts.values()].map(contract => {
    const queue = new BullMQAdapter(queues.boardQueue(contract), {
      readOnlyMode: !config.OPS_BOARD_WRITABLE,
      prefix: prefixOf(contract),
      delimiter,
      description: contract.summary,
      externalJobUrl: ({ id }) => ({ href: `${config.BASE_PATH}/ops/jobs/${id}`, displayText: 'Job page' }),
    });
    queue.setFormatter('data', outlineOf);
    queue.setFormatter('returnValue', outlineOf);
    queue.setFormatter('progress', outlineOf);
    return queue;
  });
}

/** Types and sizes instead of values: payloads contain names, phone numbers and addresses. */
function outlineOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return sizeOf(value);
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, sizeOf(member)]));
}

function sizeOf(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  if (typeof value === 'string') return isReference(value) ? value : `text, ${value.length} characters`;
  if (typeof value === 'number') return 'number';
  if (Array.isArray(value)) return `list, ${value.length} items`;
  return `object, ${Object.keys(value).length} fields`;
}

/** Ids and hashes are shown: they contain no personal data. */
const isReference = (text: string): boolean =>
  /^[0-9a-f]{64}$/.test(text) || /^([a-z][a-z-]*_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
