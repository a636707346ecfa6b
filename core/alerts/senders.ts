/** The channels of alert messages: signed webhook and mail. */
import { signMessage } from '../callbacks/sign.ts';
import { openMailSender } from '../mail/template.ts';
import { codeOf } from '../runtime/error-code.ts';
import { publicUrl, type ServiceConfig } from '../runtime/service-config.ts';
import { createTimeout } from '../runtime/timeout.ts';
import { userAgent } from '../runtime/version.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { AlertNews, Channel } from './alert.ts';
import { alertSubject, alertView } from './alert-view.ts';
import type { AlertConfig } from './config.ts';
import type { Sender } from './outbox.ts';
import { slackMessage } from './slack.ts';

const timeoutMs = 15_000;

/** The configured channels. */
export async function openSenders(
  alerts: AlertConfig,
  service: ServiceConfig,
  logger: Logger,
): Promise<Map<Channel, Sender>> {
  const page = `${publicUrl(service)}${service.BASE_PATH}/ops`;
  const senders = new Map<Channel, Sender>();
  const webhook = openWebhookSender(alerts, page);
  if (webhook) senders.set('webhook', webhook);
  const mail = await openMailSender('alerts', { ...alerts, to: alerts.ALERT_MAIL_TO ?? [] }, logger);
  if (mail) {
    const send = (id: string, news: AlertNews): Promise<void> => {
      const subject = alertSubject(news);
      return mail.send(id, subject, alertView(news, subject, page));
    };
    senders.set('mail', { send, close: mail.close });
  }
  return senders;
}

/**
 * Without the guarded fetcher, because the operator chose the address and it may be in the own network. Redirects are
 * not followed.
 * @param page address of the operations page
 */
function openWebhookSender(
  { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret, ALERT_WEBHOOK_FORMAT: format }: AlertConfig,
  page: string,
): Sender | undefined {
  if (url === undefined) return undefined;
  const bodyOf = (news: AlertNews): string =>
    format === 'slack' ? slackMessage(alertView(news, alertSubject(news), page)) : webhookBody(news, page);
  return {
    send: (id, news) => post(url, id, bodyOf(news), secret),
    close: () => undefined,
  };
}

/** The payload structure that Standard Webhooks recommend. */
const webhookBody = ({ at, opened, reminded, resolved }: AlertNews, page: string): string =>
  JSON.stringify({ type: 'alerts.changed', timestamp: at, data: { opened, reminded, resolved, page } });

async function post(url: string, id: string, body: string, secret?: string): Promise<void> {
  const timeout = createTimeout(timeoutMs);
  try {
    const signed = secret === undefined ? {} : signMessage(id, body, [secret], new Date());
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...signed },
      body,
      redirect: 'manual',
      signal: timeout.signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
  } catch (error) {
    if (timeout.hasExpired()) throw new Error(`the receiver did not answer within ${timeoutMs / 1_000} s`);
    throw error instanceof TypeError
      ? // fetch throws `fetch failed`; the code of its cause says what failed.
        new Error(`cannot connect to the receiver (${codeOf(error.cause) || 'no answer'})`)
      : error;
  } finally {
    timeout.clear();
  }
}
