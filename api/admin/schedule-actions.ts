/** What operations do with a schedule: run it now, pause it, let it fire again. */
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { dueTimes, registrationOf, type Schedule } from '../../core/schedules/schedule.ts';
import type { ApiServices } from '../services.ts';
import type { PreparedAct } from './action.ts';
import { timeView } from './format.ts';

interface ScheduleAct {
  title: string;
  what: string;
  confirm: string;
  /** @returns the page to go on with, below `/ops` */
  carryOut(schedule: Schedule, services: ApiServices, by: Actor): Promise<string>;
}

const pausing = (isPaused: boolean): ScheduleAct['carryOut'] => {
  const done = isPaused ? 'paused' : 'resumed';
  return async (schedule, { scheduleRuns: fires }, by) => {
    await fires.setPaused(registrationOf(schedule), isPaused, by);
    return `?done=${done}#schedules`;
  };
};

const acts: Readonly<Record<string, ScheduleAct>> = {
  run: {
    title: 'Run this schedule now?',
    what: 'Its job is made now, whatever the time; while one of it is at work already, none is made. The next run by the clock stays as it is.',
    confirm: 'Run it now',
    async carryOut(schedule, { scheduleService: scheduleDesk }, by) {
      const { job, isExisting } = await scheduleDesk.runNow(schedule, by);
      return `/jobs/${job.id}?done=${isExisting ? 'at-work' : 'made'}`;
    },
  },
  pause: {
    title: 'Pause this schedule?',
    what: 'It does not fire until it is resumed. A job of it that is at work goes on.',
    confirm: 'Pause it',
    carryOut: pausing(true),
  },
  resume: {
    title: 'Let this schedule fire again?',
    what: 'It fires at its next due time. What fell due meanwhile is not made up for.',
    confirm: 'Resume it',
    carryOut: pausing(false),
  },
};

/** @throws ServiceError not-found */
export async function prepareScheduleAct(
  name: string,
  verb: string,
  services: ApiServices,
): Promise<PreparedAct> {
  const schedule = services.schedules.get(name);
  const act = Object.hasOwn(acts, verb) ? acts[verb] : undefined;
  if (!schedule || !act) throw new ServiceError('not-found', 'There is no such schedule, or no such act.');
  const state = (await services.scheduleRuns.states()).get(name);
  const next = timeView(dueTimes(schedule).next(new Date()));
  return {
    confirmation: {
      title: act.title,
      what: act.what,
      facts: [
        { label: 'Schedule', value: schedule.name },
        { label: 'What it does', value: schedule.summary },
        { label: 'Next due', value: `${next.clock}, ${next.away}` },
        { label: 'State', value: state?.pausedAt ? `paused by ${state.pausedBy}` : 'active' },
      ],
      reasons: [],
      confirm: act.confirm,
      isGrave: false,
      seen: state?.pausedAt ? 'paused' : 'active',
      back: '#schedules',
    },
    carryOut: by => act.carryOut(schedule, services, by),
  };
}
