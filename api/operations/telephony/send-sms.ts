import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createLinks } from '../../../core/domain/links/links.ts';
import {
  linkPlaceholder,
  type SentMessage,
  SmsKind,
  type SmsRequest,
  sendSms,
} from '../../../core/domain/telephony/send-sms.ts';
import dncRegistry from '../../../core/integrations/dnc-registry/system.ts';
import smsGateway from '../../../core/integrations/sms-gateway/system.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { startOfDubaiDay } from '../../../core/values/dubai-time.ts';
import { type Call, defineOperation } from '../../http/operation.ts';
import { refuseLooks } from '../../http/reject-prefetch.ts';

const Sms = z
  .object({
    to: z
      .string({ error: 'must be a phone number' })
      .max(40, 'must have at most 40 characters')
      .meta({ examples: ['050 123 4561'] }),
    text: z
      .string({ error: 'must be a text' })
      .max(2_000, 'must have at most 2,000 characters')
      .describe(`\`${linkPlaceholder}\` becomes a short link of this message’s own.`)
      .meta({ examples: ['Your viewing is at 4 pm.'] }),
    link: z
      .string()
      .max(2_048, 'must have at most 2,048 characters')
      .optional()
      .describe(`Where \`${linkPlaceholder}\` leads.`),
    kind: SmsKind.default('service'),
  })
  .meta({
    examples: [
      { to: '050 123 4561', text: 'Your viewing is at 4 pm: {link}', link: 'https://example.com/viewing/42' },
    ],
  });

const SmsAnswer = z
  .object({
    id: z.string(),
    to: z.string().describe('E.164.'),
    status: z.literal('sent').describe('The gateway took it.'),
    parts: z.int().min(1).describe('SMS that it takes, each of which is billed.'),
    shortUrl: z.string().nullable(),
  })
  .meta({
    id: 'Sms',
    examples: [
      {
        id: '0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20',
        to: '+971501234561',
        status: 'sent',
        parts: 1,
        shortUrl: 'https://portal.example/r/k7f2qa',
      },
    ],
  });

const rules =
  'A number on the do-not-call registry, or of which the registry cannot tell, is refused, and so is marketing ' +
  'outside the permitted hours. What the gateway did not answer to is never sent again for the same key.';

const post = defineOperation({
  summary: `Send an SMS. ${rules}`,
  id: 'telephony.sendSms',
  method: 'POST',
  path: '/apps/telephony/v1/sms/send',
  scope: 'telephony',
  idempotent: true,
  request: { body: Sms },
  answers: { 201: { description: 'It was handed to the gateway.', schema: SmsAnswer } },
  async handle({ body }, call) {
    const key = call.request.headers['idempotency-key']?.toString() ?? randomUUID();
    return { status: 201, body: answerOf(await send(body, call, `post:${key}`)) };
  },
});

const get = defineOperation({
  summary:
    'Send an SMS, for callers that can only GET: the same request sends once a day in Dubai, and a repeat is ' +
    `answered as the first. ${rules}`,
  id: 'telephony.sendSmsByGet',
  method: 'GET',
  path: '/apps/telephony/v1/sms/send',
  scope: 'telephony',
  request: { query: Sms },
  answers: { 200: { description: 'It was handed to the gateway, now or earlier today.', schema: SmsAnswer } },
  async handle({ query }, call) {
    refuseLooks(call.request, 'sends an SMS');
    const key = `get:${keyOfDay(query, call)}`;
    const { repeated, ...sent } = await send(query, call, key).catch(error => {
      throw inQuery(error);
    });
    return {
      status: 200,
      headers: { 'cache-control': 'no-store', ...(repeated && { 'idempotent-replayed': 'true' }) },
      body: sent,
    };
  },
});

export default [post, get];

const answerOf = ({ repeated, ...sent }: SentMessage) => sent;

function send(request: SmsRequest, { services, client }: Call, key: string): Promise<SentMessage> {
  const { database, effects, systems, publicUrl } = services;
  const parts = {
    database,
    effects,
    links: createLinks(database, publicUrl),
    gateway: smsGateway.client(systems),
    registry: dncRegistry.client(systems),
  };
  return sendSms(parts, request, { clientId: client.clientId, key });
}

/** Faults of the message, told where a GET carries it. */
function inQuery(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.faults.length === 0) return error;
  const faults = error.faults.map(fault => ({ ...fault, in: 'query' as const }));
  return new ServiceError(error.code, error.message, { faults });
}

/** The caller's own key, else the request itself and the day. */
function keyOfDay(request: SmsRequest, { request: { headers } }: Call): string {
  const given = headers['idempotency-key']?.toString();
  if (given !== undefined) return given;
  const day = startOfDubaiDay(new Date()).toISOString();
  return createHash('sha256')
    .update(JSON.stringify([day, request.to, request.text, request.link, request.kind]))
    .digest('hex');
}
