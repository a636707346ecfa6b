/** Alert rules. Each file in `core/alerts/rules/` exports a rule or a list of rules; each rule detects one problem. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobContract } from '../jobs/contract.ts';
import { hasMembers, loadFromFolders } from '../runtime/discover.ts';
import type { Schedule } from '../schedules/schedule.ts';
import type { Severity } from './alert.ts';
import type { AlertLimits } from './config.ts';

export interface RuleContext {
  database: NodePgDatabase;
  limits: AlertLimits;
  /** All kinds of job. */
  contracts: ReadonlyMap<string, JobContract>;
  /** The schedules that are not switched off, by name. */
  schedules: ReadonlyMap<string, Schedule>;
  now: Date;
}

export interface RuleFinding {
  /** The affected kind of job, schedule, job or system; does not change while the problem lasts. */
  subject: string;
  /** One or two sentences; no personal data. */
  what: string;
}

export interface AlertRule {
  /** Stored with alerts; must not change. */
  id: string;
  severity: Severity;
  /** One sentence: when an alert opens. */
  summary: string;
  /** What a person should do. */
  remediation: string;
  /** A problem must last this long before its alert opens, so that a restart does not open one. */
  lastsSeconds: number;
  /** Returns the present problems. Throws when it cannot evaluate them; their alerts then stay unchanged. */
  find(context: RuleContext): Promise<RuleFinding[]>;
}

export const defineRule = (rule: AlertRule): AlertRule => rule;

/** The subject of findings about the whole service. */
export const wholeService = 'service';

/** @throws Error when two rules have one id */
export async function discoverRules(): Promise<AlertRule[]> {
  const rules: AlertRule[] = [];
  for (const { file, exported } of await loadFromFolders('core/alerts')) {
    for (const rule of [exported].flat()) {
      if (!isRule(rule)) throw new Error(`${file} must export an alert rule, or a list of them, by default`);
      if (rules.some(({ id }) => id === rule.id)) throw new Error(`${file}: another rule has the id ${rule.id}`);
      rules.push(rule);
    }
  }
  return rules;
}

const isRule = (value: unknown): value is AlertRule => hasMembers(value, 'lastsSeconds', 'find');
