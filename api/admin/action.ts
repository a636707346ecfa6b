/** Actions of operators: a page shows the effect with its numbers and asks for confirmation. */
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { dueTimes, registrationOf, type Schedule } from '../../core/schedules/schedule.ts';
import type { ApiServices } from '../services.ts';
import { type reportView, timeView } from './format.ts';
import type { changesSamples } from './planned-changes.ts';

interface Confirmation {
  /** A question. */
  title: string;
  effect: string;
  facts: { label: string; value: string }[];
  reasons: string[];
  /** Rows before and after. */
  bars?: ReturnType<typeof reportView>['bars'];
  samples?: ReturnType<typeof changesSamples>;
  /** Label of the button. */
  confirm: string;
  /** Cannot be undone. */
  isGrave: boolean;
  /** The state that the page shows; the action is rejected when it has changed before the confirmation. */
  seen: string;
  /** Page for "Cancel", below `/ops`. */
  back: string;
  /** The opposite action, below `/ops`. */
  alternative?: { path: string; label: string } | undefined;
}

/** The outcome of an action on several jobs. */
export interface ActionReport {
  title: string;
  groups: { title: string; isRefused: boolean; jobs: { id: string }[]; more: number }[];
  /** Page below `/ops`. */
  back: { path: string; label: string };
}

export interface PreparedAction {
  confirmation: Confirmation;
  /** Writes the audit trail. @returns the next page, below `/ops`, or what to show */
  carryOut(by: Actor): Promise<string | ActionReport>;
}

/** Messages for the query parameter `done` of the page after an action. */
export const doneMessages: ReadonlyMap<string, string> = new Map([
  ['released', 'Released: the job carries out its plan.'],
  ['dropped', 'Dropped: the job was cancelled; its plan will not be carried out.'],
  ['cancelled', 'The job was cancelled.'],
  ['stopping', 'Cancellation was requested; the job stops within seconds.'],
  ['retried', 'The job waits for its next run.'],
  ['callback-due', 'The callback is sent again within seconds.'],
  ['made', 'The schedule’s job was started.'],
  ['existing', 'No job was started: this job of the schedule has not ended yet.'],
  ['paused', 'The schedule is paused.'],
  ['resumed', 'The schedule is active again.'],
]);

interface ScheduleAction {
  title: string;
  effect: string;
  confirm: string;
  /** @returns the next page, below `/ops` */
  carryOut(schedule: Schedule, services: ApiServices, by: Actor): Promise<string>;
}

const setPaused =
  (isPaused: boolean): ScheduleAction['carryOut'] =>
  async (schedule, { scheduleRuns }, by) => {
    await scheduleRuns.setPaused(registrationOf(schedule), isPaused, by);
    return `?done=${isPaused ? 'paused' : 'resumed'}#schedules`;
  };

const actions: Readonly<Record<string, ScheduleAction>> = {
  run: {
    title: 'Run this schedule now?',
    effect:
      'Starts its job now, unless a job of the schedule has not ended yet. The next scheduled run does not change.',
    confirm: 'Run it now',
    async carryOut(schedule, { scheduleService }, by) {
      const { job, isExisting } = await scheduleService.runNow(schedule, by);
      return `/jobs/${job.id}?done=${isExisting ? 'existing' : 'made'}`;
    },
  },
  pause: {
    title: 'Pause this schedule?',
    effect: 'It does not run until it is resumed. A running job of the schedule continues.',
    confirm: 'Pause it',
    carryOut: setPaused(true),
  },
  resume: {
    title: 'Resume this schedule?',
    effect: 'It runs at its next due time. Due times during the pause are not caught up.',
    confirm: 'Resume it',
    carryOut: setPaused(false),
  },
};

/** @throws ServiceError not-found */
export async function prepareScheduleAction(
  name: string,
  verb: string,
  services: ApiServices,
): Promise<PreparedAction> {
  const schedule = services.schedules.get(name);
  const action = Object.hasOwn(actions, verb) ? actions[verb] : undefined;
  if (!schedule) throw new ServiceError('not-found', `There is no schedule ${name}.`);
  if (!action) throw new ServiceError('not-found', `There is no action ${verb} for schedules.`);
  const state = (await services.scheduleRuns.states()).get(name);
  const next = timeView(dueTimes(schedule).next(new Date()));
  return {
    confirmation: {
      title: action.title,
      effect: action.effect,
      facts: [
        { label: 'Schedule', value: schedule.name },
        { label: 'Purpose', value: schedule.summary },
        { label: 'Next due', value: `${next.clock}, ${next.away}` },
        { label: 'State', value: state?.pausedAt ? `paused by ${state.pausedBy}` : 'active' },
      ],
      reasons: [],
      confirm: action.confirm,
      isGrave: false,
      seen: state?.pausedAt ? 'paused' : 'active',
      back: '#schedules',
    },
    carryOut: by => action.carryOut(schedule, services, by),
  };
}
