import { defineOperation, idempotencyKeyOf } from '../../http/operation.ts';
import { SmsAnswer, SmsWithConsent } from './sms-resource.ts';
import { sendMessage, smsCalls, smsProblems, smsRules } from './sms-sending.ts';

export default defineOperation({
  summary: `Send an SMS. ${smsRules}`,
  id: 'telephony.sendSms',
  route: 'POST /apps/telephony/v1/sms/send',
  scope: 'telephony',
  idempotent: true,
  request: { body: SmsWithConsent },
  answers: { 201: { description: 'The gateway accepted the message.', schema: SmsAnswer } },
  calls: smsCalls,
  problems: smsProblems,
  async handle({ body }, call) {
    const { repeated: _, ...sent } = await sendMessage(body, call, `post:${idempotencyKeyOf(call)}`);
    return { status: 201, body: sent };
  },
});
