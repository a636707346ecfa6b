/** Fires schedules: settles what has fallen due, and runs one when a client asks for it. */

import type { JobRecord, NewJob } from '../jobs/record.ts';
import { type JobDesk, newJobRow } from '../jobs/service.ts';
import type { Actor } from '../runtime/actor.ts';
import type { Logger } from '../telemetry/logger.ts';
import { inSpan } from '../telemetry/spans.ts';
import { dueTimes } from './due-times.ts';
import { type DecidedFire, type Decision, decideFires } from './misfire-policy.ts';
import { type FireOutcome, type ScheduleState, schedulerClientId } from './run.ts';
import type { FireEntry, Fires, SettledFire } from './runs.ts';
import type { Schedule } from './schedule.ts';

export interface ScheduleDesk {
  /** Settles every due time that has come and is not settled; any number of processes may do it at once. */
  settleDue(schedule: Schedule, state: ScheduleState, now: Date): Promise<void>;
  /** Makes the schedule's job now, for who asks; while one is at work already, that one is answered. */
  runNow(schedule: Schedule, by: Actor): Promise<{ job: JobRecord; isExisting: boolean }>;
}

/** After a longer stand-still nothing older is made up for, nor written down. */
const lookBackMs = 7 * 24 * 3_600_000;
/** Due times settled at once, the newest of what has come; older ones are lost in that stand-still. */
const mostAtOnce = 200;

const outcomes: Record<Decision, FireOutcome> = {
  fire: 'fired',
  'make-up': 'missed-fired',
  'wait-and-make-up': 'missed-fired',
  skip: 'missed-skipped',
  'skip-paused': 'skipped-paused',
};
const makesJob = (decision: Decision): boolean => decision !== 'skip' && decision !== 'skip-paused';

export function openScheduleDesk({
  fires,
  desk,
  logger,
}: {
  fires: Fires;
  desk: JobDesk;
  logger: Logger;
}): ScheduleDesk {
  const announce = ({ name, job: contract }: Schedule, job: JobRecord) => {
    const attributes = { 'portal.schedule': name };
    return inSpan(`schedule ${name}`, { role: 'internal', attributes }, () => desk.announce(contract, job));
  };

  /** @returns false when this and what follows it must wait */
  const settle = async (schedule: Schedule, { dueAt, decision }: DecidedFire): Promise<boolean> => {
    const settled = await fires.settle({
      schedule: schedule.name,
      dueAt,
      outcome: outcomes[decision],
      waits: decision === 'wait-and-make-up',
      ...(makesJob(decision) && { job: jobOf(schedule, schedulerClientId) }),
    });
    if (settled === 'taken') return true;
    if (settled === 'waits') return false;
    tell(schedule, dueAt, settled, logger);
    if (isMade(settled)) await announce(schedule, settled.job);
    return true;
  };

  return {
    async settleDue(schedule, { settledUntil, pausedAt }, now) {
      const after = new Date(Math.max(settledUntil.getTime(), now.getTime() - lookBackMs));
      const due = dueTimes(schedule).between(after, now, mostAtOnce);
      for (const fire of decideFires(due, { missed: schedule.missed, isPaused: pausedAt !== null, now })) {
        if (!(await settle(schedule, fire))) return;
      }
    },

    async runNow(schedule, askedBy) {
      // An operator is no client of the API: the job is the scheduler's, as if its time had come.
      const job = jobOf(schedule, askedBy.kind === 'operator' ? schedulerClientId : askedBy.name);
      const entry: Omit<FireEntry, 'dueAt'> = { schedule: schedule.name, outcome: 'fired', job, askedBy };
      let settled: Awaited<ReturnType<Fires['settle']>>;
      // Two that are asked for in the same millisecond: the second is due a millisecond later.
      do settled = await fires.settle({ ...entry, dueAt: new Date() });
      while (settled === 'taken');
      if (settled === 'waits' || !settled.job) throw new Error(`the schedule ${schedule.name} made no job`);
      if (isMade(settled)) await desk.announce(schedule.job, settled.job);
      return { job: settled.job, isExisting: !isMade(settled) };
    },
  };
}

const isMade = (settled: SettledFire): settled is SettledFire & { job: JobRecord } =>
  settled.job !== undefined && (settled.outcome === 'fired' || settled.outcome === 'missed-fired');

const jobOf = ({ job, payload }: Schedule, clientId: string): NewJob => ({
  ...newJobRow(job, payload),
  clientId,
});

function tell({ name }: Schedule, dueAt: Date, { outcome, job }: SettledFire, logger: Logger): void {
  const facts = { schedule: name, dueAt: dueAt.toISOString(), outcome, jobId: job?.id };
  if (outcome === 'fired') logger.info(facts, 'the schedule fired');
  else logger.warn(facts, sentences[outcome]);
}

const sentences: Record<Exclude<FireOutcome, 'fired'>, string> = {
  'missed-fired': 'the schedule was due while no scheduler ran; its job is made now',
  'missed-skipped': 'the schedule was due while no scheduler ran; it is not made up for',
  'skipped-overlap': 'the schedule did not fire: a job of the same work is still going on',
  'skipped-paused': 'the schedule did not fire: it is paused',
};
