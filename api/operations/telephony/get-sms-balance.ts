import { z } from 'zod';
import smsGateway from '../../../core/integrations/sms-gateway/system.ts';
import { defineOperation, ok } from '../../http/operation.ts';

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

export default defineOperation({
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
