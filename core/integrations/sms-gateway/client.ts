/** The SMS gateway with our verbs. */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import { keepToken } from '../kit/access-token.ts';
import type { SystemTools } from '../kit/context.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { SmsGatewayConfig } from './config.ts';
import { Balance, Login, Submitted, submissionConstants, toRecipient } from './wire.ts';

/** The gateway's tokens are JSON Web Tokens of unknown life: one is used for this long at most, in ms. */
const tokenLifeMs = 15 * 60_000;

export interface Sms {
  /** Ours; the gateway keeps it with the message. */
  id: string;
  /** E.164 */
  to: string;
  text: string;
  sender: string;
}

export const SentSms = z.object({
  /** The gateway's own number of the message, where it gave one. */
  gatewayId: z.string().optional(),
});
export type SentSms = z.infer<typeof SentSms>;

export type SmsGateway = ReturnType<typeof openSmsGateway>;

export function openSmsGateway(config: SmsGatewayConfig, tools: SystemTools) {
  const baseUrl = config.SMS_URL ?? '';
  const open = tools.http({ baseUrl });
  const token = keepToken(async () => {
    const { token: value } = await open.call({
      class: 'read',
      method: 'POST',
      path: '/login/user/',
      json: { username: config.SMS_USERNAME, password: config.SMS_PASSWORD },
      answer: Login,
    });
    return { value, endsAt: Date.now() + tokenLifeMs };
  });
  const http = tools.http({
    baseUrl,
    headers: async () => ({ authorization: `Bearer ${await token.current()}` }),
    onUnauthorized: token.drop,
  });

  return {
    config,

    /**
     * Sends it once; after an answer that did not come nobody can tell whether it was sent.
     * @throws ServiceError `upstream-unavailable` when the balance is used up
     */
    async send({ id, to, text, sender }: Sms): Promise<SentSms> {
      try {
        const { jobId } = await http.call({
          class: 'create',
          method: 'POST',
          path: '/campaigns/submissions/sms/nb',
          json: {
            ...submissionConstants,
            desc: id,
            campaignName: id,
            senderAddr: sender,
            clientTxnId: id,
            recipient: toRecipient(to),
            msg: text,
          },
          answer: Submitted,
        });
        return jobId === undefined ? {} : { gatewayId: jobId };
      } catch (error) {
        if (error instanceof UpstreamError && error.failure.status === 402) throw balanceUsedUp(error);
        throw error;
      }
    },

    balance: () => http.call({ class: 'read', method: 'GET', path: '/account/balance', answer: Balance }),
  };
}

const balanceUsedUp = (cause: UpstreamError): ServiceError =>
  new ServiceError(
    'upstream-unavailable',
    'The balance at the SMS gateway is used up; it must be topped up first.',
    {
      cause,
      passing: false,
      retryAfterSeconds: 3_600,
    },
  );
