import { z } from 'zod';
import { DncStatus, dncStatuses } from '../../../core/domain/telephony/dnc-status.ts';
import dncRegistry from '../../../core/integrations/dnc-registry/system.ts';
import smsGateway from '../../../core/integrations/sms-gateway/system.ts';
import { defineOperation, ok } from '../../http/operation.ts';

const Numbers = z
  .array(z.string().max(40), {
    error: 'must be a list of phone numbers',
  })
  .min(1, 'must have at least one number')
  .max(1_000, 'must have at most 1,000 numbers');

const check = defineOperation({
  summary: 'Check the do-not-call status of phone numbers. The registry’s answers are cached for a configured time.',
  id: 'telephony.checkDnc',
  route: 'POST /apps/telephony/v1/dnc/check',
  scope: 'telephony',
  request: {
    body: z
      .object({
        numbers: Numbers.describe('Phone numbers in any common spelling.'),
        refresh: z.boolean().default(false).describe('Bypasses the cache.'),
      })
      .meta({ examples: [{ numbers: ['050 123 4561', '+97143000000'] }] }),
  },
  answers: {
    200: {
      description: 'The status of each number, in the order of the request.',
      schema: z.object({ items: z.array(DncStatus).describe('One for each number.') }),
    },
  },
  calls: [dncRegistry],
  async handle({ body }, { services, client }) {
    const registry = dncRegistry.client(services.systems);
    const items = await dncStatuses(services.database, registry, { ...body, clientId: client.clientId });
    return ok({ items });
  },
});

const SmsBalance = z
  .object({
    balance: z.string().describe('Decimal.'),
    currency: z.string().describe('ISO 4217.'),
    asOf: z.iso.datetime().describe('When the gateway was asked.'),
  })
  .meta({
    id: 'SmsBalance',
    examples: [{ balance: '412.50', currency: 'AED', asOf: '2026-01-31T08:00:00.000Z' }],
  });

const getBalance = defineOperation({
  summary: 'Get the balance of the SMS gateway.',
  id: 'telephony.getSmsBalance',
  route: 'GET /apps/telephony/v1/sms/balance',
  scope: 'telephony',
  request: {},
  answers: { 200: { description: 'The current balance.', schema: SmsBalance } },
  calls: [smsGateway],
  async handle(_, { services }) {
    const { balance, currency } = await smsGateway.client(services.systems).balance();
    return ok({ balance, currency, asOf: new Date() });
  },
});

export default [check, getBalance];
