/** Simulates the CRM: Bitrix24's REST interface behind an incoming webhook (`/rest/{user}/{secret}/{method}`). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { leakyBucket } from '../kit/limits.ts';
import { defineSandboxSystem } from '../kit/sandbox-system.ts';
import { runBatch } from './batch.ts';
import { createCrmData } from './crm-data.ts';
import { type CrmError, internalError, noAuthFound, tooManyRequests, webhookErrors } from './crm-error.ts';
import { createMethodRunner, crmErrorOf, type Methods, timeBlock } from './method.ts';
import { createMethodQuota } from './method-quota.ts';
import { duplicateMethods } from './methods/duplicates.ts';
import { itemMethods } from './methods/items.ts';
import { productRowMethods } from './methods/product-rows.ts';
import { referenceMethods } from './methods/reference.ts';
import { salesMethods } from './methods/sales.ts';
import { userMethods } from './methods/users.ts';
import { isMap, type Parameters, parsePhpQuery } from './parameters.ts';

const webhookSecret = 'sandbox';

const settings = z.object({
  callLimit: z.boolean().default(true).describe('Whether the call limit applies; calls over the limit get 503.'),
  callCapacity: z.int().min(1).default(50).describe('Burst size of the call limit, for each client address.'),
  callsPerSecond: z.number().min(0).default(2).describe('Sustained calls per second, for each client address.'),
  operatingLimitSeconds: z
    .number()
    .min(0)
    .default(480)
    .describe('Run time of one method within ten minutes before 429; 0: no limit.'),
  scopes: z
    .array(z.string())
    .default(['crm', 'user', 'department'])
    .describe('The permissions of the webhook; methods of others get 401 insufficient_scope.'),
  webhook: z
    .enum(['active', 'expired', 'not-in-plan'])
    .default('active')
    .describe('Whether calls are accepted; else they get 401 INVALID_CREDENTIALS, or 401 ACCESS_DENIED.'),
  simpleMode: z.boolean().default(false).describe('Whether the CRM says that it is in simple mode, without leads.'),
  messyData: z.boolean().default(false).describe('Whether rows are served in odd forms, as real accounts have them.'),
});

const responseOf = (fault: CrmError) => ({ status: fault.status, body: fault.body() });

export default defineSandboxSystem({
  title: 'CRM (Bitrix24 REST, incoming webhook)',
  settings,
  faults: {
    'error-500': responseOf(internalError),
    limit: responseOf(tooManyRequests),
    unauthorized: responseOf(noAuthFound),
  },
  open({ collection, settings, onReset, takeCommandFault }) {
    const data = createCrmData(collection);
    const methods: Methods = {
      ...salesMethods(data, () => settings.messyData),
      ...itemMethods(data, () => settings.messyData),
      ...productRowMethods(data),
      ...userMethods(data, () => settings.messyData),
      ...duplicateMethods(data),
      ...referenceMethods,
      scope: () => ({ result: settings.scopes }),
      'crm.settings.mode.get': () => ({ result: settings.simpleMode ? 2 : 1 }),
    };
    const quota = createMethodQuota();
    const bucket = leakyBucket(() => ({ capacity: settings.callCapacity, perSecond: settings.callsPerSecond }));
    onReset(quota.reset);
    onReset(bucket.reset);
    const run = createMethodRunner(methods, quota, settings);

    const handle = (request: WebhookRequest, reply: FastifyReply): unknown => {
      const startedAt = Date.now();
      try {
        // The vendor counts calls by client address, before authentication.
        if (settings.callLimit && !bucket.take(request.ip)) throw tooManyRequests;
        if (request.params.secret !== webhookSecret) throw noAuthFound;
        if (settings.webhook !== 'active') throw webhookErrors[settings.webhook];
        const name = request.params['*'].replace(/\.json$/, '').toLowerCase();
        const call = { parameters: parametersOf(request), userId: Number(request.params.user) };
        if (name === 'batch') return { result: runBatch(run, call, takeCommandFault), time: timeBlock(startedAt, {}) };
        return run(name, call);
      } catch (error) {
        const crmError = crmErrorOf(error);
        return reply.code(crmError.status).send(crmError.body());
      }
    };

    return async app => {
      readAnyBody(app);
      app.get('/rest/:user/:secret/*', handle);
      app.post('/rest/:user/:secret/*', handle);
    };
  },
});

type WebhookRequest = FastifyRequest<{ Params: { user: string; secret: string; '*': string } }>;

/** Parses a body that starts like JSON as JSON and any other as a form; ignores the header and invalid bodies, as PHP does. */
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

/** Merges query and body parameters; the body takes precedence. */
function parametersOf({ url, body }: WebhookRequest): Parameters {
  const query = url.includes('?') ? parsePhpQuery(url.slice(url.indexOf('?') + 1)) : {};
  return { ...query, ...(isMap(body) && body) };
}
