/**
 * The SMS gateway: e& Smart Messaging, in the form that its public clients show. The balance call and the error codes are
 * not public: `GET /account/balance` and 402 for an exhausted balance are our assumption; check them with the operator.
 */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { cacheToken } from '../kit/token-cache.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { SmsGatewayConfig } from './config.ts';

export default defineSystem({
  name: 'sms-gateway',
  title: 'The SMS gateway',
  config: SmsGatewayConfig,
  configuredBy: 'SMS_URL',
  sandboxName: 'telephony',
  sandbox: base => ({ SMS_URL: base, SMS_USERNAME: 'sandbox', SMS_PASSWORD: 'sandbox' }),
  open: openSmsGateway,
  probe: gateway => gateway.balance(),
});

export interface Sms {
  /** Our id, which the gateway stores with the message. */
  id: string;
  /** E.164 */
  to: string;
  text: string;
  sender: string;
}

export const SentSms = z.object({
  /** The gateway's id of the message, where it returned one. */
  gatewayId: z.string().optional(),
});
export type SentSms = z.infer<typeof SentSms>;

export type SmsGateway = ReturnType<typeof openSmsGateway>;

/** The gateway does not document the lifetime of its tokens (JSON Web Tokens): each is used no longer than this. */
const tokenLifetimeMs = 15 * 60_000;

/** The values that public clients send; the operator does not document their meaning. */
const submissionConstants = {
  msgCategory: '4.5',
  contentType: '3.2',
  dndCategory: 'campaign',
  priority: 1,
  dr: '1',
} as const;

const Login = z.object({ token: z.string().min(1) });

/** Only an accepted submission has a cost. */
const Submitted = z.object({
  jobId: z.union([z.string(), z.number()]).transform(String).optional(),
  jobCost: z.coerce.number(),
});

const Balance = z.object({
  balance: z.union([z.string(), z.number()]).transform(value => Number(value).toFixed(2)),
  currency: z.string().length(3),
});

function openSmsGateway(config: SmsGatewayConfig, tools: SystemTools) {
  const baseUrl = config.SMS_URL ?? '';
  const loginHttp = tools.http({ baseUrl });
  const token = cacheToken(tools.system, async () => {
    const { token: value } = await loginHttp.call({
      class: 'read',
      method: 'POST',
      path: '/login/user/',
      json: { username: config.SMS_USERNAME, password: config.SMS_PASSWORD },
      answer: Login,
    });
    return { value, expiresAt: Date.now() + tokenLifetimeMs };
  });
  const http = tools.http({
    baseUrl,
    headers: async () => ({ authorization: `Bearer ${await token.get()}` }),
    onUnauthorized: token.invalidate,
  });

  return {
    config,

    /**
     * A create without a lookup: when the answer is lost, the outcome stays unknown.
     * @throws ServiceError `upstream-unavailable` when the balance is exhausted
     */
    async send({ id, to, text, sender }: Sms): Promise<SentSms> {
      const json = {
        ...submissionConstants,
        desc: id,
        campaignName: id,
        senderAddr: sender,
        clientTxnId: id,
        // Without the plus sign.
        recipient: to.slice(1),
        msg: text,
      };
      const path = '/campaigns/submissions/sms/nb';
      try {
        const { jobId } = await http.call({ class: 'create', method: 'POST', path, json, answer: Submitted });
        return jobId === undefined ? {} : { gatewayId: jobId };
      } catch (error) {
        if (error instanceof UpstreamError && error.failure.status === 402) throw balanceExhausted(error);
        throw error;
      }
    },

    balance: () => http.get('/account/balance', Balance),
  };
}

const balanceExhausted = (cause: UpstreamError): ServiceError =>
  new ServiceError('upstream-unavailable', 'The balance at the SMS gateway is used up; it must be topped up first.', {
    ...{ cause, transient: false, retryAfterSeconds: 3_600 },
  });
