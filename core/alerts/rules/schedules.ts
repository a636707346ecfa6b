/** Rules: missed and failed runs of schedules. */
import { onTimeMs } from '../../schedules/misfire-policy.ts';
import { createScheduleRuns, type LastRun, type ScheduleState } from '../../schedules/runs.ts';
import { dueTimes, type Schedule } from '../../schedules/schedule.ts';
import { momentText } from '../duration-text.ts';
import { failedSchedules } from '../job-health.ts';
import { defineRule, type RuleFinding } from '../rule.ts';

const missedRun = defineRule({
  id: 'missed-fire',
  severity: 'warning',
  summary:
    'A schedule was due and did not run, or its last run was missed and is not made up for. Resolved by its next run.',
  remediation: 'Check that a scheduler is alive. If the run is needed now, start the schedule on the operations page.',
  lastsSeconds: 60,
  async find({ database, schedules, now }) {
    const runs = createScheduleRuns(database);
    const states = await runs.states();
    const lastRuns = await runs.lastRuns([...schedules.keys()]);
    return [...schedules.values()].flatMap(schedule => {
      const last = lastRuns.find(run => run.schedule === schedule.name);
      return findMissed(schedule, states.get(schedule.name), last, now) ?? [];
    });
  },
});

function findMissed(
  { name, missed, cron, timeZone }: Schedule,
  state: ScheduleState | undefined,
  last: LastRun | undefined,
  now: Date,
): RuleFinding | undefined {
  if (!state || state.pausedAt) return undefined;
  const due = dueTimes({ cron, timeZone }).next(state.settledUntil);
  // A schedule that makes up for all of its runs may be waiting for the previous job.
  if (missed !== 'all' && now.getTime() - due.getTime() > onTimeMs)
    return { subject: name, what: `${name} was due at ${momentText(due)} (Dubai) and did not run.` };
  if (last?.outcome !== 'missed-skipped') return undefined;
  const what = `${name} missed its run of ${momentText(last.dueAt)} (Dubai), which is not made up for.`;
  return { subject: name, what };
}

/** Schedules run too rarely for the rule `failure-rate`. */
const scheduledRunFailed = defineRule({
  id: 'scheduled-run-failed',
  severity: 'warning',
  summary: 'The last run of a schedule failed in all its attempts. Resolved by the next run that does not fail.',
  remediation:
    'Open the job on the operations page: its error shows what failed. Fix that, then run the job again there, or wait ' +
    'for the next run.',
  lastsSeconds: 0,
  find: async ({ database, schedules }) =>
    (await failedSchedules(database, [...schedules.keys()])).map(({ schedule, jobId, finishedAt, error }) => ({
      subject: schedule,
      what: `${schedule} failed at ${momentText(finishedAt)} (Dubai) with “${error}”: ${jobId}.`,
    })),
});

export default [missedRun, scheduledRunFailed];
