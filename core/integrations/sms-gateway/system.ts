/**
 * The SMS gateway: e& Smart Messaging, in the form that its public clients show. The balance call and the error codes are
 * not public: `GET /account/balance` and 402 for an exhausted balance are our assumption; check them with the operator.
 */
import { z } from 'zod';
import { httpUrl, trueOrFalse, wholeNumber } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import { parseSendingHours } from '../../values/dubai-time.ts';
import type { SystemTools } from '../kit/context.ts';
import { defineSystem } from '../kit/define-system.ts';
import { cacheToken } from '../kit/token-cache.ts';
import { UpstreamError } from '../kit/upstream-error.ts';

/** The length of an alphanumeric sender, including the prefix of marketing messages. */
const maxSenderLength = 11;
export const marketingPrefix = 'AD-';

/** Cabinet Resolution 56 of 2024 permits marketing by telephone in these hours only. */
const permittedHours = '09:00-18:00';

function isPermitted(text: string): boolean {
  const [permitted, wanted] = [parseSendingHours(permittedHours), parseSendingHours(text)];
  return !permitted || !wanted || (permitted.from <= wanted.from && wanted.to <= permitted.to);
}

export const SmsGatewayConfig = z.object({
  SMS_URL: httpUrl.optional().describe('The SMS gateway (e& Smart Messaging); unset: not configured.'),
  SMS_USERNAME: z.string().default('').describe('Login at the SMS gateway.'),
  SMS_PASSWORD: z.string().default('').describe('Password of that login.'),
  SMS_SENDER: z
    .string()
    .regex(/^[A-Za-z0-9 ]+$/, 'must have letters, digits and spaces only')
    .max(
      maxSenderLength - marketingPrefix.length,
      `must have at most ${maxSenderLength - marketingPrefix.length} characters`,
    )
    .default('PORTAL')
    .describe('Registered sender; marketing messages prefix it with AD-, together at most 11 characters.'),
  SMS_MARKETING_HOURS: z
    .string()
    .refine(text => parseSendingHours(text) !== undefined, 'must be two times of a day, such as 09:00-18:00')
    .refine(isPermitted, `must lie within ${permittedHours}, the hours that the law permits`)
    .default(permittedHours)
    .describe('When marketing SMS may be sent, in Asia/Dubai; at most the hours that the law permits.'),
  SMS_OPTOUT_REQUIRED: trueOrFalse
    .default(true)
    .describe('Whether the text of marketing must contain {optout}, the link that stops marketing.'),
  SMS_MAX_PARTS: wholeNumber(1, 255)
    .default(10)
    .describe('Maximum number of parts of one SMS; a longer text is rejected.'),
  SMS_PARTS_PER_CLIENT_DAY: wholeNumber(0, 10_000_000)
    .default(1_000)
    .describe('SMS parts that one client may send in one day in Asia/Dubai.'),
  SMS_SERVICE_SKIPS_REGISTRY: trueOrFalse
    .default(false)
    .describe('Whether service messages also go to numbers on the do-not-call registry, which concerns marketing.'),
});

export type SmsGatewayConfig = z.infer<typeof SmsGatewayConfig>;

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
    cause,
    transient: false,
    retryAfterSeconds: 3_600,
  });
