/** Each outside system: who answers for it, and whether it takes our credentials. */

import { inCallScope } from '../../integrations/kit/call-context.ts';
import type { Source } from '../../integrations/kit/context.ts';
import type { System } from '../../integrations/kit/define-system.ts';
import { discoverSystems } from '../../integrations/kit/discover.ts';
import { UpstreamError } from '../../integrations/kit/upstream-error.ts';
import { ConfigurationError } from '../../runtime/config.ts';
import { type Finding, failure, ok, warning } from '../../runtime/finding.ts';
import type { Check } from '../check.ts';
import { codeOf, errorText } from '../run-checks.ts';
import { settingOf } from '../setting.ts';
import { watchClocks } from '../watch-clocks.ts';

export default async (): Promise<Check[]> => (await discoverSystems()).map(checkOf);

function checkOf(system: System): Check {
  const { name, configuredBy, title } = system;
  return {
    name,
    timeoutMs: 20_000,
    whenSilent: `look whether ${configuredBy} leads to it, and whether a firewall drops the packets`,
    async look(context, signal) {
      const ground = await context.systems();
      const source = ground.sourceOf(configuredBy);
      if (source === 'none') return ok(`${configuredBy} is not set: what needs it is answered with 503`);
      const clocks = watchClocks(source === 'sandbox' ? '' : (settingOf(configuredBy, context.env) ?? ''));
      const begun = performance.now();
      try {
        await inCallScope({ priority: 'interactive', signal, repeats: false }, () => system.probe(ground));
        const ms = Math.round(performance.now() - begun);
        const answered =
          source === 'sandbox' ? `${configuredBy} is not set: the sandbox answers` : `${title} answers`;
        return [ok(`${answered}, ${ms} ms`), ...clocks.findings()];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ConfigurationError) throw error;
        return faultOf(error, system, source);
      } finally {
        clocks.stop();
      }
    },
  };
}

function faultOf(error: unknown, { configuredBy, title, config }: System, source: Source): Finding {
  if (source === 'sandbox')
    return warning(
      `${configuredBy} is not set, and the sandbox does not answer (${reason(error)})`,
      'start it (npm run sandbox), or set the variable',
    );
  const credentials = Object.keys(config.shape).filter(name =>
    /KEY|SECRET|TOKEN|USERNAME|PASSWORD/.test(name),
  );
  // Of some, the address itself carries the credentials.
  const named = (credentials.length > 0 ? credentials : [configuredBy]).join(', ');
  if (isRefusedLogin(error)) return failure(`${title} refuses our credentials`, `correct ${named}`);
  if (error instanceof UpstreamError && isRefusedCall(error))
    return failure(
      `${title} refuses a plain read (${reason(error)})`,
      `correct ${named}, or give these credentials the right to read`,
    );
  if (error instanceof UpstreamError && error.failure.overLimit)
    return warning(`${title} takes no more calls for now`, 'wait; and look who else uses its limit');
  return failure(
    `${title} does not answer as it should (${reason(error)})`,
    `look whether it is up, and whether ${configuredBy} leads to it`,
  );
}

const isRefusedLogin = (error: unknown): boolean =>
  error instanceof UpstreamError &&
  (error.failure.status === 401 ||
    /^28/.test(error.failure.code ?? '') ||
    /refuses our credentials/.test(error.message));

const isRefusedCall = ({ failure: { status = 0, code = '' } }: UpstreamError): boolean =>
  (status >= 400 && status < 500 && status !== 429) || /^(42|3D)/.test(code);

/** What the connectors say of the network, or the vendor's code; never its sentence, which may repeat what was sent. */
function reason(error: unknown): string {
  if (!(error instanceof UpstreamError)) return codeOf(error) || errorText(error);
  const { status, code } = error.failure;
  const told = [status && `HTTP ${status}`, code].filter(Boolean).join(' ');
  return told || error.message.replace(/\.$/, '');
}
