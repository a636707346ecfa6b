/** Bull Board itself, as an application of its own, which `board.ts` protects. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ApiServices } from '../services.ts';
import { delimiter, prefixOf } from './queues-view.ts';

const environments = {
  development: { color: '#2f6f4f' },
  test: { color: '#5b5b8c' },
  production: { color: '#a3352b' },
};

/** In the header of each page. */
const headline =
  'deliveries of jobs to workers. That of a held run is completed; the page of its job says that it is held';

export async function openBullBoard(services: ApiServices, path: string): Promise<FastifyInstance> {
  const { BASE_PATH: base, NODE_ENV: environment } = services.config;
  const adapter = new FastifyAdapter();
  adapter.setBasePath(path);
  createBullBoard({
    queues: boardQueues(services),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Deliveries',
        environment: { ...environments[environment], label: `${environment}: ${headline}`, textColor: '#ffffff' },
        miscLinks: [
          { text: 'Jobs and their states', url: `${base}/ops/jobs` },
          { text: 'Operations', url: `${base}/ops` },
        ],
        overview: { groupByDelimiter: true },
        hideDocsLink: true,
        // The PostgreSQL backend has no Redis connections to count; /ops shows the workers of both backends.
        showWorkers: false,
      },
    },
  });
  const app = Fastify();
  app.setNotFoundHandler((_, reply) => reply.code(404).send(''));
  await app.register(adapter.registerPlugin(), { prefix: path });
  await app.ready();
  return app;
}

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
