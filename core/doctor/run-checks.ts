/** Runs checks side by side, each bounded in time; what goes wrong inside one becomes its finding. */
import { ConfigurationError } from '../runtime/config.ts';
import { type Finding, failure, warning } from '../runtime/finding.ts';
import { timeBound, untilAborted } from '../runtime/timeout.ts';
import { type Check, NotChecked } from './check.ts';
import type { DoctorContext } from './context.ts';

export interface Checked {
  name: string;
  findings: readonly Finding[];
}

const defaultTimeoutMs = 15_000;

/** All begin at once; each promise fulfils when its check has ended, in the order of the checks. */
export const runChecks = (checks: readonly Check[], context: DoctorContext): Promise<Checked>[] =>
  checks.map(check => runCheck(check, context));

async function runCheck(check: Check, context: DoctorContext): Promise<Checked> {
  const time = timeBound(check.timeoutMs ?? defaultTimeoutMs);
  try {
    const found = await untilAborted(check.look(context, time.signal), time.signal);
    return { name: check.name, findings: [found].flat() };
  } catch (error) {
    return { name: check.name, findings: [time.isOver() ? silence(check) : broken(error)] };
  } finally {
    time.release();
  }
}

const silence = ({ timeoutMs = defaultTimeoutMs, whenSilent }: Check): Finding =>
  failure(
    `no answer within ${timeoutMs / 1_000} s`,
    whenSilent ?? 'look whether this machine is overloaded, then run the doctor again',
  );

function broken(error: unknown): Finding {
  if (error instanceof NotChecked) return warning(`not checked: ${error.message}`, 'mend that first');
  if (error instanceof ConfigurationError)
    return warning('not checked: the configuration is wrong', 'mend that first');
  return failure(errorText(error), 'mend what it says');
}

/** The first line: what follows it may be long. */
export const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message || codeOf(error) || error.name : String(error);
  return text.split('\n')[0]?.slice(0, 300) ?? '';
};

/** Such as ECONNREFUSED, or PostgreSQL's own. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
