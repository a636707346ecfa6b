/** Simulates the log store: the search API of OpenSearch and Elasticsearch over the portal's activity. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { capabilitiesOf, type IndexedEntry, indexEntry } from './fields.ts';
import { messyHit } from './messy-data.ts';
import { search } from './search.ts';
import { errorBody, SearchError } from './search-error.ts';
import { type Entry, seedActivities } from './seed.ts';

const logins = ['ApiKey sandbox', `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`];
const shards = 5;

export default defineSandboxSystem({
  title: 'Log store (OpenSearch, Elasticsearch)',
  settings: z.object({
    messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
    withholdLate: z.boolean().default(false).describe('Whether entries that arrive days late are still missing.'),
    failedShards: z
      .int()
      .min(0)
      .max(shards)
      .default(0)
      .describe(`Number of failing shards, of ${shards}: their entries are missing from a response with status 200.`),
    timesOut: z
      .boolean()
      .default(false)
      .describe('Whether searches time out: half of the hits are returned, with status 200.'),
  }),
  faults: {
    'error-500': { status: 500, body: errorBody(500, 'null_pointer_exception', 'unexpected null') },
    limit: {
      status: 429,
      body: errorBody(429, 'es_rejected_execution_exception', 'rejected execution of coordinating operation'),
    },
    unauthorized: {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="security" charset="UTF-8"' },
      body: errorBody(401, 'security_exception', 'unable to authenticate user'),
    },
  },
  open({ collection, settings }) {
    const activities = collection<Entry>('activities', { seed: seedActivities, key: ({ _id }) => _id });

    const index = activities.derive(entries => entries.map(indexEntry));

    function visible(): readonly IndexedEntry[] {
      const { withholdLate, failedShards } = settings;
      const entries = withholdLate ? index().filter(({ entry }) => !entry.late) : index();
      return failedShards === 0 ? entries : entries.filter((_, position) => position % shards >= failedShards);
    }

    function answerSearch(request: FastifyRequest<{ Params: { index: string } }>): object {
      assertIndexExists(request.params.index);
      const { failedShards: failed, timesOut } = settings;
      const { total, hits } = search(visible(), request.body);
      return {
        took: 1,
        timed_out: timesOut,
        _shards: { total: shards, successful: shards - failed, skipped: 0, failed },
        hits: {
          ...(total && { total }),
          max_score: null,
          hits: (timesOut ? hits.slice(0, hits.length / 2) : hits).map(hit =>
            settings.messyData ? messyHit(hit) : hit,
          ),
        },
      };
    }

    return async app => {
      addStoreErrorHandling(app);
      app.get('/', () => ({
        name: 'sandbox',
        cluster_name: 'sandbox',
        version: { distribution: 'opensearch', number: '2.19.0' },
        tagline: 'The OpenSearch Project: https://opensearch.org/',
      }));
      app.get('/:index/_search', answerSearch);
      app.get<{ Params: { index: string }; Querystring: { fields?: string } }>(
        '/:index/_field_caps',
        ({ params, query }) => {
          assertIndexExists(params.index);
          return { indices: ['portal-activity'], fields: capabilitiesOf(query.fields ?? '') };
        },
      );
      app.post('/:index/_search', answerSearch);
    };
  },
});

function addStoreErrorHandling(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (logins.includes(request.headers.authorization ?? '')) return;
    const url = request.url.split('?')[0];
    const reason = `missing authentication credentials for REST request [${url}]`;
    await reply.code(401).send(errorBody(401, 'security_exception', reason));
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const isSearchError = error instanceof SearchError;
    const status = isSearchError ? error.status : (error.statusCode ?? 500);
    const type = isSearchError ? error.type : status === 400 ? 'parse_exception' : 'exception';
    return reply.code(status).send(errorBody(status, type, error.message));
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(400).send({
      error: `no handler found for uri [${request.url}] and method [${request.method}]`,
      status: 400,
    }),
  );
}

function assertIndexExists(index: string): void {
  const pattern = new RegExp(`^(${index.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(',', '|')})$`);
  if (!pattern.test('portal-activity'))
    throw new SearchError(404, 'index_not_found_exception', `no such index [${index}]`);
}
