import { hash } from 'node:crypto';
import type { SmsRequest } from '../../../core/domain/telephony/send-sms.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { startOfDubaiDay } from '../../../core/values/dubai-time.ts';
import { type Call, defineOperation, ok } from '../../http/operation.ts';
import { rejectPrefetch } from '../../http/request-headers.ts';
import { Sms, SmsAnswer } from './sms-resource.ts';
import { sendMessage, smsCalls, smsProblems, smsRules } from './sms-sending.ts';

export default defineOperation({
  summary: `Send an SMS, for callers that can only GET. The same request sends once per day in Dubai; repeats return the first answer. ${smsRules}`,
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
  calls: smsCalls,
  problems: {
    ...smsProblems,
    forbidden: 'The request is a prefetch or a link preview.',
    'idempotency-key-reused': 'The `Idempotency-Key` belongs to another request.',
  },
  async handle({ query }, call) {
    rejectPrefetch(call.request, 'sends an SMS');
    const { repeated, ...sent } = await sendMessage(query, call, `get:${dailyKey(query, call)}`).catch(error => {
      throw inQuery(error);
    });
    return ok(sent, repeated ? { 'idempotent-replayed': 'true' } : {});
  },
});

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
