/** Reads the `Date` of HTTP answers while a system is asked, however its connector asks. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Finding, warning } from '../runtime/finding.ts';

/** What undici publishes when an answer's headers have come; names and values by turns. */
interface HeadersMessage {
  request: { origin?: unknown };
  response: { headers: Buffer[] };
}

const channel = 'undici:request:headers';
/** Tokens and signatures of most systems are refused when the clocks are minutes apart. */
const tolerableSeconds = 60;

/** @param url the system's; of another protocol than HTTP there is nothing to read */
export function watchClocks(url: string): { findings(): Finding[]; stop(): void } {
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  let apartSeconds = 0;
  const note = (message: unknown) => {
    if (!isHeadersMessage(message) || message.request.origin !== origin) return;
    const apart = (dateOf(message.response.headers) - Date.now()) / 1_000;
    if (Math.abs(apart) > Math.abs(apartSeconds)) apartSeconds = apart;
  };
  subscribe(channel, note);
  return {
    findings: () =>
      Math.abs(apartSeconds) <= tolerableSeconds
        ? []
        : [
            warning(
              `its clock is ${Math.round(Math.abs(apartSeconds))} s ${apartSeconds > 0 ? 'before' : 'behind'} ours`,
              'let this machine take its time from NTP (timedatectl set-ntp true)',
            ),
          ],
    stop: () => void unsubscribe(channel, note),
  };
}

function isHeadersMessage(message: unknown): message is HeadersMessage {
  if (typeof message !== 'object' || message === null) return false;
  if (!('response' in message && 'request' in message && typeof message.request === 'object')) return false;
  const { response } = message;
  return (
    typeof response === 'object' &&
    response !== null &&
    'headers' in response &&
    Array.isArray(response.headers)
  );
}

function dateOf(headers: readonly Buffer[]): number {
  const at = headers.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === 'date');
  return at < 0 ? Number.NaN : Date.parse(String(headers[at + 1]));
}
