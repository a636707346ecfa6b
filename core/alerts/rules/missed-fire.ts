/** A schedule has not fired when it was due. */

import { dueTimes } from '../../schedules/due-times.ts';
import { punctualMs } from '../../schedules/misfire-policy.ts';
import type { ScheduleState } from '../../schedules/run.ts';
import { createFires, type LastRun } from '../../schedules/runs.ts';
import type { Schedule } from '../../schedules/schedule.ts';
import { momentText } from '../duration-text.ts';
import { defineRule, type Finding } from '../rule.ts';

export default defineRule({
  id: 'missed-fire',
  severity: 'warning',
  summary:
    'A schedule was due and has not fired, or its last fire was missed and is not made up for. It is over with the next one.',
  mend:
    'See that a scheduler is alive. If the run is needed now, start it: POST /schedules/{name}/run, or the button on ' +
    'the page of operations.',
  lastsSeconds: 60,
  async find({ database, schedules, now }) {
    const states = await createFires(database).states();
    const lastRuns = await createFires(database).lastRuns([...schedules.keys()]);
    return [...schedules.values()].flatMap(schedule => {
      const last = lastRuns.find(fire => fire.schedule === schedule.name);
      return findingOf(schedule, states.get(schedule.name), last, now) ?? [];
    });
  },
});

function findingOf(
  { name, missed, cron, timeZone }: Schedule,
  state: ScheduleState | undefined,
  last: LastRun | undefined,
  now: Date,
): Finding | undefined {
  if (!state || state.pausedAt) return undefined;
  const due = dueTimes({ cron, timeZone }).next(state.settledUntil);
  // Of one that makes up for all of its fires the next may have to wait for the job before.
  if (missed !== 'all' && now.getTime() - due.getTime() > punctualMs)
    return { subject: name, what: `${name} was due at ${momentText(due)} (Dubai) and has not fired.` };
  if (last?.outcome !== 'missed-skipped') return undefined;
  const what = `${name} missed its fire of ${momentText(last.dueAt)} (Dubai), and it is not made up for.`;
  return { subject: name, what };
}
