/** What a check has found: one line, and how to mend it where something is wrong. */

export const levels = ['ok', 'warning', 'failure'] as const;
/** `warning`: the service works, but not as it should. `failure`: it does not work, or soon will not. */
export type Level = (typeof levels)[number];

export interface CheckFinding {
  level: Level;
  /** What was found; no secret, no person's data. */
  found: string;
  /** What to do about it, exactly; present unless all is well. */
  fix?: string;
}

export const ok = (found: string): CheckFinding => ({ level: 'ok', found });
export const warning = (found: string, mend: string): CheckFinding => ({
  level: 'warning',
  found,
  fix: mend,
});
export const failure = (found: string, mend: string): CheckFinding => ({
  level: 'failure',
  found,
  fix: mend,
});

export const worst = (findings: readonly CheckFinding[]): Level =>
  levels.findLast(level => findings.some(finding => finding.level === level)) ?? 'ok';
