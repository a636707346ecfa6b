/**
 * Health checks of the doctor. Each file in `core/doctor/checks/` exports a check or several; checks that need code of a
 * worker are in `workers/<kind>/doctor.ts`.
 */
import { ConfigurationError } from '../runtime/config.ts';
import { type FoundModule, hasMembers, loadFromFolders } from '../runtime/discover.ts';
import { codeOf } from '../runtime/error-code.ts';
import { type CheckFinding, failure, type Level, levels, warning, worst } from '../runtime/finding.ts';
import { createTimeout, untilAborted } from '../runtime/timeout.ts';
import { type DoctorContext, NotChecked } from './context.ts';

export interface Check {
  /** The checked part in one or two words, such as `redis`. */
  name: string;
  /** In ms; 15,000 by default. */
  timeoutMs?: number;
  /** The fix to report when the check exceeds its timeout. */
  onTimeout?: string;
  /** @throws NotChecked, ConfigurationError; any other error is reported as a failure of the part */
  run(context: DoctorContext, signal: AbortSignal): Promise<CheckFinding | readonly CheckFinding[]>;
}

export interface CheckResult {
  name: string;
  findings: readonly CheckFinding[];
}

export const defineCheck = (check: Check): Check => check;

/** The checks that every process can run. */
export const coreChecks = (): Promise<Check[]> => checksIn(() => loadFromFolders('core/doctor'));

/** The checks that need code of a worker. */
export const workerChecks = (): Promise<Check[]> => checksIn(() => loadFromFolders('workers', 'doctor'));

const defaultTimeoutMs = 15_000;

/** Starts all checks at once. Returns one promise per check, in the order of `checks`; none of them rejects. */
export const runChecks = (checks: readonly Check[], context: DoctorContext): Promise<CheckResult>[] =>
  checks.map(check => runCheck(check, context));

async function runCheck(check: Check, context: DoctorContext): Promise<CheckResult> {
  const { name, timeoutMs = defaultTimeoutMs } = check;
  const timeout = createTimeout(timeoutMs);
  try {
    const found = await untilAborted(check.run(context, timeout.signal), timeout.signal);
    return { name, findings: [found].flat() };
  } catch (error) {
    if (!timeout.hasExpired()) return { name, findings: [findingOf(error)] };
    const fix = check.onTimeout ?? 'check whether this machine is overloaded, then run the doctor again';
    return { name, findings: [failure(`no answer within ${timeoutMs / 1_000} s`, fix)] };
  } finally {
    timeout.clear();
  }
}

function findingOf(error: unknown): CheckFinding {
  if (error instanceof NotChecked) return warning(`not checked: ${error.message}`, 'fix that first');
  if (error instanceof ConfigurationError) return warning('not checked: the configuration is wrong', 'fix that first');
  return failure(errorText(error), 'fix the reported error');
}

/** The first line of the message, at most 300 characters. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || codeOf(error) || error.name : String(error);
  return text.split('\n')[0]?.slice(0, 300) ?? '';
}

/** One check, several, or a function that finds them. */
type CheckModule = Check | readonly Check[] | (() => Promise<readonly Check[]>);

async function checksIn(load: () => Promise<FoundModule[]>): Promise<Check[]> {
  const checks: Check[] = [];
  for (const { file, exported } of await load()) {
    if (!isCheckModule(exported)) throw new Error(`${file} must export checks by default`);
    checks.push(...(typeof exported === 'function' ? await exported() : [exported].flat()));
  }
  return checks;
}

const isCheckModule = (value: unknown): value is CheckModule =>
  typeof value === 'function' || [value].flat().every(one => hasMembers(one, 'run', 'name'));

const colours: Record<Level, string> = { ok: '32', warning: '33', failure: '31' };
const marks: Record<Level, string> = { ok: '✔', warning: '!', failure: '✖' };
const nameWidth = 18;

/** One line per finding. */
export const linesOf = ({ name, findings }: CheckResult, withColour: boolean): string =>
  findings.map(finding => lineOf(name, finding, withColour)).join('\n');

function lineOf(name: string, { level, found, fix }: CheckFinding, withColour: boolean): string {
  const paint = (text: string) => (withColour ? `\u001b[${colours[level]}m${text}\u001b[0m` : text);
  return `${paint(marks[level])} ${name.padEnd(nameWidth)} ${found}${fix === undefined ? '' : paint(`: ${fix}`)}`;
}

/** The output of `npm run doctor -- --json`: scripts read it, so member names do not change. */
export interface DoctorReport {
  status: Level;
  checks: { name: string; level: Level; found: string; mend?: string }[];
}

export function reportOf(results: readonly CheckResult[]): DoctorReport {
  const findings = results.flatMap(result => result.findings.map(finding => ({ ...finding, name: result.name })));
  return {
    status: worst(findings),
    checks: findings.map(({ name, level, found, fix }) => ({
      name,
      level,
      found,
      ...(fix !== undefined && { mend: fix }),
    })),
  };
}

export function summaryOf({ checks }: DoctorReport): string {
  const count = (level: Level) => checks.filter(check => check.level === level).length;
  const labels: Record<Level, string> = { ok: 'ok', warning: 'warnings', failure: 'failures' };
  return levels
    .filter(level => count(level) > 0)
    .map(level => `${labels[level]}: ${count(level)}`)
    .join(', ');
}
