import { hash } from 'node:crypto';
import { createLinks } from '../../../core/domain/links/links.ts';
import { type SentMessage, type SmsRequest, sendSms } from '../../../core/domain/telephony/send-sms.ts';
import crm from '../../../core/integrations/crm/system.ts';
import dncRegistry from '../../../core/integrations/dnc-registry/system.ts';
import smsGateway from '../../../core/integrations/sms-gateway/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { startOfDubaiDay } from '../../../core/values/dubai-time.ts';
import { type Call, defineOperation, effectPending, idempotencyKeyOf, ok } from '../../http/operation.ts';
import { rejectPrefetch } from '../../http/request-headers.ts';
import { Sms, SmsAnswer, SmsWithConsent } from './sms-resource.ts';

const rules =
  'Rejects numbers on the do-not-call registry, numbers whose status the registry cannot return, and marketing without ' +
  'evidence of consent, to people who opted out, twice a day, or outside the permitted hours. A message that the gateway did not answer to is never sent again for the same key.';

const calls = [smsGateway, dncRegistry, crm];
const problems = {
  'message-not-permitted': 'The message must not be sent to this number, or not now.',
  'consent-missing': 'There is no evidence that the person agreed to marketing.',
  ...effectPending,
};

const post = defineOperation({
  summary: `Send an SMS. ${rules}`,
  id: 'telephony.sendSms',
  route: 'POST /apps/telephony/v1/sms/send',
  scope: 'telephony',
  idempotent: true,
  request: { body: SmsWithConsent },
  answers: { 201: { description: 'The gateway accepted the message.', schema: SmsAnswer } },
  calls,
  problems,
  async handle({ body }, call) {
    const { repeated: _, ...sent } = await send(body, call, `post:${idempotencyKeyOf(call)}`);
    return { status: 201, body: sent };
  },
});

const get = defineOperation({
  summary: `Send an SMS, for callers that can only GET. The same request sends once per day in Dubai; repeats return the first answer. ${rules}`,
  id: 'telephony.sendSmsByGet',
  route: 'GET /apps/telephony/v1/sms/send',
  scope: 'telephony',
  request: { query: Sms },
  answers: {
    200: {
      description: 'The gateway accepted the message, now or earlier today.',
      schema: SmsAnswer,
      headers: ['Idempotent-Replayed'],
    },
  },
  calls,
  problems: {
    ...problems,
    forbidden: 'The request is a prefetch or a link preview.',
    'idempotency-key-reused': 'The `Idempotency-Key` belongs to another request.',
  },
  async handle({ query }, call) {
    rejectPrefetch(call.request, 'sends an SMS');
    const { repeated, ...sent } = await send(query, call, `get:${dailyKey(query, call)}`).catch(error => {
      throw inQuery(error);
    });
    return ok(sent, repeated ? { 'idempotent-replayed': 'true' } : {});
  },
});

export default [post, get];

function send(request: SmsRequest, { services, client }: Call, key: string): Promise<SentMessage> {
  const links = createLinks(services.database, services.publicUrl);
  const gateway = smsGateway.client(services.systems);
  const registry = dncRegistry.client(services.systems);
  const isConfigured = services.systems.sourceOf(crm.configuredBy) !== 'none';
  const ofCrm = isConfigured ? crm.client(services.systems) : undefined;
  const base = services.publicUrl + services.config.BASE_PATH;
  const used = { ...services, links, gateway, registry, base, crm: ofCrm };
  return sendSms(used, request, { clientId: client.clientId, key });
}

/** Moves the pointers of input errors from the body to the query. */
function inQuery(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.faults.length === 0) return error;
  const faults = error.faults.map(fault => ({ ...fault, in: 'query' as const }));
  return new ServiceError(error.code, error.message, { faults });
}

/** The caller's key, else a digest of the request and the day. */
function dailyKey({ to, text, link, kind }: SmsRequest, { request }: Call): string {
  const day = startOfDubaiDay(new Date()).toISOString();
  return request.headers['idempotency-key']?.toString() ?? hash('sha256', JSON.stringify([day, to, text, link, kind]));
}
