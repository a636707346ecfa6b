/** Operator actions on a job: release, drop, cancel, retry, send its callback again. */
import { createCallbackOutbox } from '../../core/callbacks/outbox.ts';
import { type JobContract, kindOfJobId } from '../../core/jobs/contract.ts';
import { finalStates, type HeldPlan, type JobRecord, type JobState } from '../../core/jobs/record.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import type { PreparedAction } from './action.ts';
import { durationText, reportView, timeView } from './format.ts';
import { changesSamples } from './planned-changes.ts';

interface JobAction {
  verb: string;
  /** Text of the link to the confirmation. */
  label: string;
  from: readonly JobState[];
  title: string;
  effect: string;
  confirm(changes: string | undefined): string;
  /** @param isDeleting rows disappear with its plan */
  isGrave(isDeleting: boolean): boolean;
  act(services: ApiServices, job: { contract: JobContract; id: string }, by: Actor): Promise<JobRecord | undefined>;
  /** Key of `doneMessages`. */
  done: string;
}

/** Figures of a report that do not describe changes. */
const incidental: ReadonlySet<string> = new Set(['calls', 'seconds', 'dry run', 'rows left out']);

const actions: readonly JobAction[] = [
  {
    verb: 'drop',
    label: 'Drop…',
    from: ['held'],
    title: 'Drop this held run?',
    effect: 'It is cancelled and its plan is not carried out. The next run makes a new plan.',
    confirm: () => 'Drop it',
    isGrave: () => false,
    act: ({ jobs }, { contract, id }, by) => jobs.cancel(contract, id, by),
    done: 'dropped',
  },
  {
    verb: 'release',
    label: 'Release…',
    from: ['held'],
    title: 'Release this held run?',
    effect: 'It carries out exactly the plan that it shows.',
    confirm: changes => (changes === undefined ? 'Release it' : `Release it: ${changes}`),
    isGrave: isDeleting => isDeleting,
    act: ({ jobs }, { contract, id }, by) => jobs.release(contract, id, by),
    done: 'released',
  },
  {
    verb: 'cancel',
    label: 'Cancel…',
    from: ['queued', 'scheduled', 'running'],
    title: 'Cancel this job?',
    effect: 'A waiting job never starts. A running job stops within seconds; its changes so far remain.',
    confirm: () => 'Cancel the job',
    isGrave: () => true,
    act: ({ jobs }, { contract, id }, by) => jobs.cancel(contract, id, by),
    done: 'cancelled',
  },
  {
    verb: 'retry',
    label: 'Run again…',
    from: ['failed', 'cancelled'],
    title: 'Run this job again?',
    effect: 'It keeps its id. A failed job continues at its checkpoint; a cancelled one starts from the beginning.',
    confirm: () => 'Run it again',
    isGrave: () => false,
    act: ({ jobs }, { contract, id }, by) => jobs.retry(contract, id, by),
    done: 'retried',
  },
  {
    verb: 'callback',
    label: 'Send again…',
    from: ['held', ...finalStates],
    title: 'Send the callback again?',
    effect:
      'The receiver gets the same message once more, with the same webhook-id, by which it may recognize a repeat. Failed deliveries are tried again as for the first one.',
    confirm: () => 'Send it again',
    isGrave: () => false,
    act: async (services, { id }, by) => {
      if (await createCallbackOutbox(services.database).sendAgain(id, by)) return undefined;
      throw new ServiceError('conflict', 'The job has no callback that could be sent.');
    },
    done: 'callback-due',
  },
];

const isPossible = ({ from, verb }: JobAction, { state, cancelRequestedAt, callback }: JobRecord): boolean =>
  from.includes(state) &&
  !(state === 'running' && cancelRequestedAt !== null) &&
  !(verb === 'callback' && callback === null);

/** The first is the usual one: of a held run to drop it. */
export const actionsOn = (job: JobRecord): { verb: string; label: string; isGrave: boolean }[] => {
  const { isDeleting } = reportView(job.result);
  return actions
    .filter(action => isPossible(action, job))
    .map(({ verb, label, isGrave }) => ({ verb, label, isGrave: verb === 'release' && isGrave(isDeleting) }));
};

/** @throws ServiceError not-found */
export async function findJob(id: string, { records }: Pick<ApiServices, 'records'>): Promise<JobRecord> {
  const job = kindOfJobId(id) === undefined ? undefined : await records.find(id);
  if (job) return job;
  throw new ServiceError('not-found', `There is no job ${id}; old jobs are deleted.`);
}

/** @throws ServiceError not-found; conflict when the job's state does not allow the action */
export async function prepareJobAction(id: string, verb: string, services: ApiServices): Promise<PreparedAction> {
  const job = await findJob(id, services);
  const action = actions.find(found => found.verb === verb);
  if (!action) throw new ServiceError('not-found', `There is no action ${verb} for jobs.`);
  const contract = services.contracts.get(job.kind);
  if (!contract) throw new ServiceError('conflict', `This version cannot run jobs of the kind ${job.kind}.`);
  if (!isPossible(action, job))
    throw new ServiceError('conflict', `This action is not possible in the job’s state: ${stateText(job)}.`);
  const held = job.state === 'held' ? await services.records.plan(job.id) : undefined;
  const { changes, isDeleting, bars, reasons, figures } = reportView(job.result);
  const seenOfCallback = verb === 'callback' ? [job.callback?.state, job.callback?.tries] : [];
  return {
    confirmation: {
      title: action.title,
      effect: action.effect,
      facts: [
        { label: 'Job', value: job.id },
        { label: 'State', value: stateText(job) },
        ...(held ? [{ label: 'Held', value: heldText(held.heldAt) }] : []),
        ...(held && changes !== undefined ? [{ label: 'It would', value: changes }] : []),
        ...(held ? figures.filter(({ label, value }) => value !== '0' && !incidental.has(label)) : []),
        ...(verb === 'callback' && job.callback ? [{ label: 'Receiver', value: new URL(job.callback.url).host }] : []),
      ],
      reasons: held ? reasons : [],
      bars: held ? bars : [],
      samples: changesSamples(held?.changes ?? []),
      alternative: verb === 'release' ? { path: `/jobs/${job.id}/drop`, label: 'Drop it instead…' } : undefined,
      confirm: action.confirm(held && changes),
      isGrave: action.isGrave(isDeleting || isDeletion(held)),
      seen: [job.state, held?.heldAt.toISOString() ?? '', job.attemptsMade, ...seenOfCallback].join(' '),
      back: `/jobs/${job.id}`,
    },
    carryOut: async by => {
      const after = await action.act(services, { contract, id }, by);
      const isStopping = verb === 'cancel' && after?.state === 'running';
      return `/jobs/${id}?done=${isStopping ? 'stopping' : action.done}`;
    },
  };
}

const isDeletion = (held: HeldPlan | undefined): boolean =>
  held?.changes.some(({ outcome }) => outcome === 'deleted') ?? false;

function heldText(heldAt: Date): string {
  const { clock, away } = timeView(heldAt);
  return `since ${clock}, ${away}`;
}

const stateText = ({ state, startedAt, cancelRequestedAt }: JobRecord): string => {
  if (state !== 'running' || !startedAt) return state;
  const since = `running for ${durationText(Date.now() - startedAt.getTime())}`;
  return cancelRequestedAt ? `${since}, cancellation requested` : since;
};
