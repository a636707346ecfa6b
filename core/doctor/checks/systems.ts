/** Each outside system: its connection, our credentials, and its clock. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { z } from 'zod';
import { withCallContext } from '../../integrations/kit/call-context.ts';
import type { Source } from '../../integrations/kit/context.ts';
import { discoverSystems, type System } from '../../integrations/kit/define-system.ts';
import { callKind, UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { ConfigurationError } from '../../runtime/config.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { type CheckFinding, failure, ok, warning } from '../../runtime/finding.ts';
import { type Check, errorText } from '../check.ts';
import { settingOf } from '../context.ts';

export default async (): Promise<Check[]> => (await discoverSystems()).map(checkOf);

function checkOf(system: System): Check {
  const { name, configuredBy, title } = system;
  return {
    name,
    timeoutMs: 20_000,
    onTimeout: `check that ${configuredBy} is the right address, and that no firewall drops the packets`,
    async run(context, signal) {
      const systems = await context.systems();
      const source = systems.sourceOf(configuredBy);
      if (source === 'none') return ok(`${configuredBy} is not set: operations that need it return 503`);
      const clock = watchClock(source === 'sandbox' ? '' : (settingOf(configuredBy, context.env) ?? ''));
      const startedAt = performance.now();
      try {
        const call = { priority: 'interactive', signal, retries: false } as const;
        await withCallContext(call, () => system.probe(systems));
        const ms = Math.round(performance.now() - startedAt);
        const mistakes = await withCallContext(call, () => system.checkSettings(systems));
        const answered = source === 'sandbox' ? `${configuredBy} is not set: the sandbox answers` : `${title} answers`;
        return [ok(`${answered}, ${ms} ms`), ...clock.findings(), ...mistakes];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ConfigurationError) throw error;
        return findingOf(error, system, source);
      } finally {
        clock.stop();
      }
    },
  };
}

function findingOf(error: unknown, system: System, source: Source): CheckFinding {
  const { configuredBy, title, config } = system;
  if (source === 'sandbox')
    return warning(
      `${configuredBy} is not set, and the sandbox ${symptom(error)}`,
      'start it (npm run sandbox), or set the variable',
    );
  const mistake = system.mistakeOf(error);
  if (mistake) return mistake;
  const credentials = Object.keys(config.shape).filter(name => /KEY|SECRET|TOKEN|USERNAME|PASSWORD/.test(name));
  if (error instanceof UpstreamError && error.failure.code === 'redirect')
    return failure(error.message.replace(/\.$/, ''), `correct ${configuredBy}`);
  // For some systems the address contains the credentials.
  const settings = (credentials.length > 0 ? credentials : [configuredBy]).join(', ');
  if (isRejectedLogin(error)) return failure(`${title} rejects our credentials`, `correct ${settings}`);
  if (error instanceof UpstreamError && isRejectedCall(error))
    return failure(
      `${title} rejects a read request (${reason(error)})`,
      `correct ${settings}, or give these credentials the right to read`,
    );
  if (error instanceof UpstreamError && callKind(error.failure) === 'limit')
    return warning(`${title} has reached its call limit`, 'wait, and check which other programs use the limit');
  return failure(`${title} ${symptom(error)}`, `check that it is running and that ${configuredBy} is its address`);
}

function symptom(error: unknown): string {
  const hasAnswered = error instanceof UpstreamError && error.failure.status !== undefined;
  return `${hasAnswered ? 'answers with an error' : 'does not answer correctly'} (${reason(error)})`;
}

const isRejectedLogin = (error: unknown): boolean =>
  error instanceof UpstreamError &&
  (error.failure.status === 401 ||
    /^28/.test(error.failure.code ?? '') ||
    /(refuses|rejects) our credentials/.test(error.message));

const isRejectedCall = ({ failure: { status = 0, code = '' } }: UpstreamError): boolean =>
  (status >= 400 && status < 500 && status !== 429) || /^(42|3D)/.test(code);

/** HTTP status, the vendor's code and its scrubbed text. */
function reason(error: unknown): string {
  if (!(error instanceof UpstreamError)) return codeOf(error) || errorText(error);
  const { status, code } = error.failure;
  const facts = [status && `HTTP ${status}`, code].filter(Boolean).join(' ');
  const [, text = ''] = /: (.+?)(?: \(\S+\))?\.$/.exec(error.message) ?? [];
  return facts ? [facts, text].filter(Boolean).join(': ') : error.message.replace(/\.$/, '');
}

/** Published by undici when the headers of a response have arrived; names and values alternate. */
const HeadersMessage = z.object({
  request: z.object({ origin: z.unknown() }),
  response: z.object({ headers: z.array(z.instanceof(Buffer)) }),
});

const channel = 'undici:request:headers';
/** Most systems reject tokens and signatures when the clocks differ by minutes. */
const maxClockDifferenceSeconds = 60;

/** Compares the `Date` of the system's HTTP responses with our clock. @param url of the system; other protocols: no findings */
function watchClock(url: string): { findings(): CheckFinding[]; stop(): void } {
  const origin = URL.canParse(url) ? new URL(url).origin : undefined;
  let seconds = 0;
  const compare = (message: unknown) => {
    const { data } = HeadersMessage.safeParse(message);
    if (!data || data.request.origin !== origin) return;
    const difference = (dateOf(data.response.headers) - Date.now()) / 1_000;
    if (Math.abs(difference) > Math.abs(seconds)) seconds = difference;
  };
  subscribe(channel, compare);
  return {
    findings: () =>
      Math.abs(seconds) <= maxClockDifferenceSeconds
        ? []
        : [
            warning(
              `its clock is ${Math.round(Math.abs(seconds))} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`,
              'synchronise this machine with NTP (timedatectl set-ntp true)',
            ),
          ],
    stop: () => void unsubscribe(channel, compare),
  };
}

function dateOf(headers: readonly Buffer[]): number {
  const at = headers.findIndex((name, index) => index % 2 === 0 && String(name).toLowerCase() === 'date');
  return at < 0 ? Number.NaN : Date.parse(String(headers[at + 1]));
}
