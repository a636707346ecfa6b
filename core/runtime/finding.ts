/** The finding of a health check, with the remedy for a problem. */

export const levels = ['ok', 'warning', 'failure'] as const;
/** `warning`: the service works with restrictions. `failure`: it does not work, or will soon stop working. */
export type Level = (typeof levels)[number];

export interface CheckFinding {
  level: Level;
  /** Must hold no secret and no personal data. */
  found: string;
  /** The exact remedy; absent for `ok`. */
  fix?: string;
}

export const ok = (found: string): CheckFinding => ({ level: 'ok', found });
export const warning = (found: string, fix: string): CheckFinding => ({ level: 'warning', found, fix });
export const failure = (found: string, fix: string): CheckFinding => ({ level: 'failure', found, fix });

export const worst = (findings: readonly CheckFinding[]): Level =>
  levels.findLast(level => findings.some(finding => finding.level === level)) ?? 'ok';
