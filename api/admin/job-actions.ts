/** What operations do with a job: release or drop a held one, cancel one that is on, run one again. */

import { type JobContract, kindOfJobId } from '../../core/jobs/contract.ts';
import type { JobRecord, JobState } from '../../core/jobs/record.ts';
import type { JobService } from '../../core/jobs/service.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import type { PreparedAct } from './action.ts';
import { lengthWords, reportWords, timeView } from './format.ts';

interface JobAct {
  verb: string;
  /** On the link to its confirmation. */
  label: string;
  from: readonly JobState[];
  title: string;
  what: string;
  confirm(changes: string | undefined): string;
  isGrave: boolean;
  /** @returns the word for what was done */
  carryOut(desk: JobService, contract: JobContract, job: JobRecord, by: Actor): Promise<string>;
}

/** Figures of a report that say nothing of what would be done. */
const incidental: ReadonlySet<string> = new Set(['calls', 'seconds', 'dry run', 'rows left out']);

const open: readonly JobState[] = ['queued', 'scheduled', 'running'];

const cancel = async (...[desk, contract, job, by]: Parameters<JobAct['carryOut']>) =>
  await desk.cancel(contract, job.id, by);

const acts: readonly JobAct[] = [
  {
    verb: 'release',
    label: 'Release…',
    from: ['held'],
    title: 'Release this held run?',
    what: 'It goes on with exactly the plan it showed.',
    confirm: changes => (changes === undefined ? 'Release it' : `Release it: ${changes}`),
    isGrave: true,
    async carryOut(desk, contract, job, by) {
      await desk.release(contract, job.id, by);
      return 'released';
    },
  },
  {
    verb: 'drop',
    label: 'Drop…',
    from: ['held'],
    title: 'Drop this held run?',
    what: 'It is cancelled: nothing of its plan is carried out. The next run makes a plan of its own.',
    confirm: () => 'Drop it',
    isGrave: false,
    async carryOut(...given) {
      await cancel(...given);
      return 'dropped';
    },
  },
  {
    verb: 'cancel',
    label: 'Cancel…',
    from: open,
    title: 'Cancel this job?',
    what: 'A waiting job never starts. A running one stops within seconds; what it has done so far stays done.',
    confirm: () => 'Cancel the job',
    isGrave: true,
    carryOut: async (...given) => ((await cancel(...given))?.state === 'running' ? 'stopping' : 'cancelled'),
  },
  {
    verb: 'retry',
    label: 'Run again…',
    from: ['failed', 'cancelled'],
    title: 'Run this job again?',
    what: 'It keeps its id. One that failed goes on from where it got to; one that was cancelled starts from the beginning.',
    confirm: () => 'Run it again',
    isGrave: false,
    async carryOut(desk, contract, job, by) {
      await desk.retry(contract, job.id, by);
      return 'retried';
    },
  },
];

const isPossible = ({ from }: JobAct, { state, cancelRequestedAt }: JobRecord): boolean =>
  from.includes(state) && !(state === 'running' && cancelRequestedAt !== null);

/** What can be done with the job as it stands. */
export const actsOf = (job: JobRecord): { verb: string; label: string }[] =>
  acts.filter(act => isPossible(act, job)).map(({ verb, label }) => ({ verb, label }));

/** @throws ServiceError not-found */
export async function jobNamed(id: string, { records }: Pick<ApiServices, 'records'>): Promise<JobRecord> {
  const job = kindOfJobId(id) === undefined ? undefined : await records.find(id);
  if (job) return job;
  throw new ServiceError('not-found', 'There is no such job, or it is so old that it is no longer kept.');
}

/** @throws ServiceError not-found; conflict when the job's state does not allow the act */
export async function prepareJobAct(id: string, verb: string, services: ApiServices): Promise<PreparedAct> {
  const job = await jobNamed(id, services);
  const act = acts.find(found => found.verb === verb);
  if (!act) throw new ServiceError('not-found', 'Nothing of that name can be done with a job.');
  const contract = services.contracts.get(job.kind);
  if (!contract)
    throw new ServiceError('conflict', `Jobs of the kind ${job.kind} can no longer be run by this version.`);
  if (!isPossible(act, job))
    throw new ServiceError('conflict', `This cannot be done with the job as it is now: ${stateWords(job)}.`);
  const held = job.state === 'held' ? await services.records.plan(job.id) : undefined;
  const { changes, reasons, figures } = reportWords(job.result);
  return {
    confirmation: {
      title: act.title,
      what: act.what,
      facts: [
        { label: 'Job', value: job.id },
        { label: 'State', value: stateWords(job) },
        ...(held ? [{ label: 'Held', value: heldWords(held.heldAt) }] : []),
        ...(held && changes !== undefined ? [{ label: 'It would', value: changes }] : []),
        ...(held ? figures.filter(({ label }) => !incidental.has(label)) : []),
      ],
      reasons: held ? reasons : [],
      confirm: act.confirm(held && changes),
      isGrave: act.isGrave,
      seen: [job.state, held?.heldAt.toISOString() ?? '', job.attemptsMade].join(' '),
      back: `/jobs/${job.id}`,
    },
    carryOut: async by => `/jobs/${job.id}?done=${await act.carryOut(services.jobs, contract, job, by)}`,
  };
}

function heldWords(heldAt: Date): string {
  const { clock, away } = timeView(heldAt);
  return `since ${clock}, ${away}`;
}

const stateWords = ({ state, startedAt, cancelRequestedAt }: JobRecord): string => {
  if (state !== 'running' || !startedAt) return state;
  const since = `running for ${lengthWords(Date.now() - startedAt.getTime())}`;
  return cancelRequestedAt ? `${since}, told to stop` : since;
};
