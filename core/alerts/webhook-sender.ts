/** Posts alerts, signed as callbacks are. */
import { signMessage } from '../callbacks/sign.ts';
import { timeBound } from '../runtime/timeout.ts';
import type { AlertNews } from './alert.ts';
import type { AlertConfig } from './config.ts';
import type { Sender } from './deliver.ts';

const timeoutMs = 15_000;

/**
 * Not through the guarded fetcher: who operates the service has named the address, and it may well be in the own
 * network. It leads nowhere else, though: a redirect is refused.
 * @param page the address of the page of operations
 * @returns undefined when no address is configured
 */
export function openWebhookSender(
  { ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret }: AlertConfig,
  page: string,
): Sender | undefined {
  if (url === undefined || secret === undefined) return undefined;
  return {
    send: (id, news) => post(url, id, webhookBody(news, page), secret),
    close: () => undefined,
  };
}

/** As Standard Webhooks advise: what it is, when it was, what there is to know. */
const webhookBody = ({ at, opened, reminded, resolved }: AlertNews, page: string): string =>
  JSON.stringify({ type: 'alerts.changed', timestamp: at, data: { opened, reminded, resolved, page } });

async function post(url: string, id: string, body: string, secret: string): Promise<void> {
  const time = timeBound(timeoutMs);
  try {
    const signed = signMessage(id, body, [secret], new Date());
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      redirect: 'manual',
      signal: time.signal,
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
  } catch (error) {
    if (time.isOver()) throw new Error(`the receiver did not answer within ${timeoutMs / 1_000} s`);
    throw error instanceof TypeError ? new Error(`the receiver cannot be reached (${codeOf(error)})`) : error;
  } finally {
    time.release();
  }
}

/** fetch says `fetch failed`, and what failed is the cause's code. */
const codeOf = ({ cause }: Error): string =>
  cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
