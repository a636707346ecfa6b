/** A fire: one due time of a schedule, and what came of it. The ledger of fires has one row a due time. */
import { z } from 'zod';
import type { JobState } from '../jobs/record.ts';

export const FireOutcome = z
  .enum(['fired', 'missed-fired', 'missed-skipped', 'skipped-overlap', 'skipped-paused'])
  .describe(
    '`fired`: it made a job. `missed-fired`: it was missed and made its job later. `missed-skipped`: it was missed and ' +
      'not made up for. `skipped-overlap`: the job before was still at work. `skipped-paused`: the schedule was paused.',
  );
export type FireOutcome = z.infer<typeof FireOutcome>;

export interface Fire {
  /** When it was due; of one that a client asked for, when that was. */
  dueAt: Date;
  outcome: FireOutcome;
  /** The job it made, or the one that stood in its way. */
  jobId: string | null;
  jobState: JobState | null;
  /** A client or an operator asked for it, not the clock. */
  manual: boolean;
  /** That client's id or that operator's login, or `scheduler`. */
  by: string;
}

/** What is remembered of a schedule. */
export interface ScheduleState {
  name: string;
  /** The due time up to which everything is settled: later ones that have come are to be fired. */
  settledUntil: Date;
  pausedAt: Date | null;
  pausedBy: string | null;
}

/** Whose jobs the schedules' are; no client has this id. */
export const schedulerClientId = 'scheduler';
