/** The checks' findings as a person reads them on a terminal, and as a script reads them. */

import { type Finding, type Level, levels, worst } from '../runtime/finding.ts';
import type { Checked } from './run-checks.ts';

const colours: Record<Level, string> = { ok: '32', warning: '33', failure: '31' };
const marks: Record<Level, string> = { ok: '✔', warning: '!', failure: '✖' };
const nameWidth = 18;

/** A line for each finding. */
export const linesOf = ({ name, findings }: Checked, withColour: boolean): string =>
  findings.map(finding => lineOf(name, finding, withColour)).join('\n');

function lineOf(name: string, { level, found, mend }: Finding, withColour: boolean): string {
  const paint = (text: string) => (withColour ? `\u001b[${colours[level]}m${text}\u001b[0m` : text);
  return `${paint(marks[level])} ${name.padEnd(nameWidth)} ${found}${mend === undefined ? '' : paint(`: ${mend}`)}`;
}

export interface DoctorReport {
  status: Level;
  checks: { name: string; level: Level; found: string; mend?: string }[];
}

export function reportOf(checked: readonly Checked[]): DoctorReport {
  const checks = checked.flatMap(({ name, findings }) => findings.map(finding => ({ name, ...finding })));
  return { status: worst(checks), checks };
}

export function summaryOf({ checks }: DoctorReport): string {
  const count = (level: Level) => checks.filter(check => check.level === level).length;
  const words: Record<Level, string> = { ok: 'ok', warning: 'to be looked at', failure: 'to be mended' };
  return levels
    .filter(level => count(level) > 0)
    .map(level => `${count(level)} ${words[level]}`)
    .join(', ');
}
