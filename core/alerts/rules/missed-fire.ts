/** A schedule has not fired when it was due. */
import { createFires } from '../../db/fires.ts';
import { dueTimes } from '../../schedules/due-times.ts';
import type { ScheduleState } from '../../schedules/fire.ts';
import { punctualMs } from '../../schedules/missed-fires.ts';
import type { Schedule } from '../../schedules/schedule.ts';
import { momentText } from '../duration-text.ts';
import { defineRule, type Finding } from '../rule.ts';

type Fires = ReturnType<typeof createFires>;

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
    const fires = createFires(database);
    const states = await fires.states();
    const found = await Promise.all(
      [...schedules.values()].map(schedule => look(schedule, states.get(schedule.name), fires, now)),
    );
    return found.flat();
  },
});

async function look(
  schedule: Schedule,
  state: ScheduleState | undefined,
  fires: Fires,
  now: Date,
): Promise<Finding[]> {
  if (!state || state.pausedAt) return [];
  const { name } = schedule;
  // Of one that makes up for all of its fires the next may have to wait for the job before.
  const due = dueTimes(schedule).next(state.settledUntil);
  if (schedule.missed !== 'all' && now.getTime() - due.getTime() > punctualMs)
    return [{ subject: name, what: `${name} was due at ${momentText(due)} (Dubai) and has not fired.` }];
  const [last] = await fires.history(name, 1);
  if (last?.outcome !== 'missed-skipped') return [];
  return [
    {
      subject: name,
      what: `${name} missed its fire of ${momentText(last.dueAt)} (Dubai), and it is not made up for.`,
    },
  ];
}
