/** The CRM, simulated: Bitrix24's REST interface behind an incoming webhook (`/rest/{user}/{secret}/{method}`). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { leakyBucket } from '../kit/limits.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { runBatch } from './batch.ts';
import { createCrmData } from './crm-data.ts';
import { type CrmFault, internalError, noAuthFound, tooManyRequests } from './crm-fault.ts';
import type { Methods } from './method.ts';
import { duplicateMethods } from './methods/duplicates.ts';
import { itemMethods } from './methods/items.ts';
import { referenceMethods } from './methods/reference.ts';
import { salesMethods } from './methods/sales.ts';
import { userMethods } from './methods/users.ts';
import { createOperatingTime } from './operating-time.ts';
import { isMap, type Parameters, parsePhpQuery } from './parameters.ts';
import { methodRunner, refusalOf, timeBlock } from './run-method.ts';

const webhookSecret = 'sandbox';

const settings = z.object({
  callLimit: z.boolean().default(true).describe('Whether calls are counted at all; over the limit: 503.'),
  callCapacity: z.int().min(1).default(50).describe('Calls at once from one address.'),
  callsPerSecond: z.number().min(0).default(2).describe('How many calls the bucket loses a second.'),
  operatingLimitSeconds: z
    .number()
    .min(0)
    .default(480)
    .describe('Run time of one method in ten minutes before 429; 0: no limit.'),
});

const face = (fault: CrmFault) => ({ status: fault.status, body: fault.body() });

export default defineSandboxSystem({
  title: 'CRM (Bitrix24 REST, incoming webhook)',
  settings,
  faults: {
    'error-500': face(internalError),
    limit: face(tooManyRequests),
    unauthorized: face(noAuthFound),
  },
  open({ collection, settings, onReset }) {
    const data = createCrmData(collection);
    const methods: Methods = {
      ...salesMethods(data),
      ...itemMethods(data),
      ...userMethods(data),
      ...duplicateMethods(data),
      ...referenceMethods,
    };
    const operating = createOperatingTime();
    const bucket = leakyBucket(() => ({
      capacity: settings.callCapacity,
      perSecond: settings.callsPerSecond,
    }));
    onReset(operating.reset);
    onReset(bucket.reset);
    const run = methodRunner(methods, operating, () => settings.operatingLimitSeconds);

    const answer = (request: WebhookRequest, reply: FastifyReply): unknown => {
      const startedAt = Date.now();
      try {
        // The limit counts calls by where they come from, whatever they carry.
        if (settings.callLimit && !bucket.take(request.ip)) throw tooManyRequests;
        if (request.params.secret !== webhookSecret) throw noAuthFound;
        const name = request.params['*'].replace(/\.json$/, '').toLowerCase();
        const call = { parameters: parametersOf(request), userId: Number(request.params.user) };
        if (name === 'batch') return { result: runBatch(run, call), time: timeBlock(startedAt, {}) };
        return run(name, call);
      } catch (error) {
        const refusal = refusalOf(error);
        return reply.code(refusal.status).send(refusal.body());
      }
    };

    return async app => {
      readAnyBody(app);
      app.get('/rest/:user/:secret/*', answer);
      app.post('/rest/:user/:secret/*', answer);
    };
  },
});

type WebhookRequest = FastifyRequest<{ Params: { user: string; secret: string; '*': string } }>;

/** A body is a form unless it is JSON, whatever its header says; what cannot be read is no parameters, as in PHP. */
function readAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: 5_000_000 }, (_request, body, done) =>
    done(null, parametersIn(String(body))),
  );
}

function parametersIn(body: string): Parameters {
  if (!/^\s*[{[]/.test(body)) return parsePhpQuery(body);
  try {
    const parsed: unknown = JSON.parse(body);
    return isMap(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The body's and the query's together; the body's win. */
function parametersOf({ url, body }: WebhookRequest): Parameters {
  const query = url.includes('?') ? parsePhpQuery(url.slice(url.indexOf('?') + 1)) : {};
  return { ...query, ...(isMap(body) && body) };
}
