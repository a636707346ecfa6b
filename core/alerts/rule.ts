/** What a rule is: a file in `core/alerts/rules/` that exports one by default. Each tells one thing that must not be. */
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { JobContract } from '../jobs/contract.ts';
import { loadAllFromFolders } from '../runtime/discover.ts';
import type { Schedule } from '../schedules/schedule.ts';
import type { Severity } from './alert.ts';
import type { AlertLimits } from './config.ts';

/** What rules look at. */
export interface AlertGround {
  database: NodePgDatabase;
  limits: AlertLimits;
  /** Every kind of job there is. */
  contracts: ReadonlyMap<string, JobContract>;
  /** Those that fire by themselves, by name. */
  schedules: ReadonlyMap<string, Schedule>;
  now: Date;
}

export interface Finding {
  /** What it is about, the same for as long as it lasts: a kind of job, a schedule, a job. */
  subject: string;
  /** One or two sentences; never a person's name or address. */
  what: string;
}

export interface AlertRule {
  /** Kept with its alerts: never changed. */
  id: string;
  severity: Severity;
  /** One sentence: when it opens. */
  summary: string;
  /** What a person should do. */
  mend: string;
  /** It must be found for this long before anybody is told, so that a restart is no alert. */
  lastsSeconds: number;
  /** What is wrong now. One that cannot tell throws: then its alerts stay as they are. */
  find(ground: AlertGround): Promise<Finding[]>;
}

export const defineRule = (rule: AlertRule): AlertRule => rule;

/** The subject of what concerns no part of the service more than another. */
export const wholeService = 'service';

/** @throws Error when two have one id */
export async function discoverRules(): Promise<AlertRule[]> {
  const rules: AlertRule[] = [];
  for (const { file, exported } of await loadAllFromFolders('core/alerts')) {
    if (!isRule(exported)) throw new Error(`${file} must export an alert rule by default`);
    if (rules.some(({ id }) => id === exported.id)) throw new Error(`${file} has the id of another rule`);
    rules.push(exported);
  }
  return rules;
}

const isRule = (value: unknown): value is AlertRule =>
  typeof value === 'object' && value !== null && 'lastsSeconds' in value && 'find' in value;
