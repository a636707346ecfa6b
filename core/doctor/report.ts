/** Formats check results for the terminal and as JSON. */
import { type CheckFinding, type Level, levels, worst } from '../runtime/finding.ts';
import type { CheckResult } from './check.ts';

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
