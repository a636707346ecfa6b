/** What must hold after a chaos run, each with the evidence when it does not. */
import type { ChaosRun } from './chaos.ts';
import { emailOfCrmUser } from './chaos.ts';
import { doneTwice } from './effects-done.ts';
import { isAtRest } from './jobs-settled.ts';
import type { Supervised } from './supervised.ts';

export interface Breach {
  rule: string;
  evidence: string[];
}

/** @returns the rules that were broken; none when the run went well */
export function verdictOn(run: ChaosRun): Breach[] {
  const rules: [rule: string, evidence: string[]][] = [
    ['every accepted job has a row', lostJobs(run)],
    ['every job came to rest', run.jobs.filter(job => !isAtRest(job)).map(told)],
    ['a held job has its plan', run.jobs.filter(job => job.state === 'held' && !job.hasPlan).map(told)],
    ['no job failed by a fault of our own', ownFaults(run)],
    [
      'one key, one job',
      run.outcomes.filter(({ jobIds }) => jobIds.size > 1).map(({ jobIds }) => [...jobIds].join(' ')),
    ],
    ['no effect was done twice', twice(run)],
    ['what was answered as done is done', notDone(run)],
    ['what a job reports as done is done', jobsWithoutEffect(run)],
    ['local copies have all that the CRM has', run.copyFaults],
    ['results of PDF jobs open', run.badResults],
    ['receivers of callbacks were told', untold(run)],
    ['no process died of itself', run.processes.flatMap(diedOfItself)],
    [
      'every process came back',
      run.processes.filter(process => !process.lives.at(-1)?.wasReady).map(({ name }) => name),
    ],
    ['every process ended in order', run.processes.flatMap(endedBadly)],
    ['nothing unhandled in the logs', run.processes.flatMap(unhandled)],
    ['no process is left behind', run.left.processes],
    ['no connection is left behind', run.left.connections],
    [
      'no Redis connection is left behind',
      run.left.redisConnections > 0 ? [String(run.left.redisConnections)] : [],
    ],
    ['no temporary file is left behind', run.left.files],
    ['no port is left open', run.left.ports.map(String)],
  ];
  return rules.filter(([, evidence]) => evidence.length > 0).map(([rule, evidence]) => ({ rule, evidence }));
}

const told = ({ id, state, attemptsMade, problem, detail, callback }: ChaosRun['jobs'][number]): string =>
  `${id} ${state}, attempts ${attemptsMade}, callback ${callback}, ${problem ?? ''} ${detail ?? ''}`;

function lostJobs({ outcomes, jobs }: ChaosRun): string[] {
  const known = new Set(jobs.map(({ id }) => id));
  return outcomes.flatMap(({ jobIds }) => [...jobIds].filter(id => !known.has(id)));
}

/** Outside systems that fail may fail a job, and so may workers that are killed again and again. */
function ownFaults({ jobs, processes }: ChaosRun): string[] {
  const ours = ['internal-error', 'browser-failed', 'page-contract-broken', 'job-timed-out'];
  return jobs
    .filter(({ problem, state }) => state === 'failed' && ours.includes(problem ?? ''))
    .flatMap(job => [told(job), ...processes.flatMap(process => failuresIn(process, job.id))]);
}

/** What the log says of each run of a job that failed. */
const failuresIn = ({ name, lives }: Supervised, jobId: string): string[] =>
  lives.flatMap(life =>
    life
      .output()
      .split('\n')
      .filter(line => line.includes(jobId) && line.includes('job failed'))
      .map(line => `  ${name}: ${line.slice(0, 900)}`),
  );

function twice({ before, after, outcomes }: ChaosRun): string[] {
  const sorts = [...after.sorts].flatMap(([sort, done]) =>
    doneTwice(before.sorts.get(sort) ?? new Map(), done).map(what => `${sort}, ${what}`),
  );
  const orders = outcomes.flatMap(({ order, answer }) => {
    const times = order.mark ? after.marked(order.mark) : 0;
    return times > 1 ? [`${times} times: ${order.method} ${order.path}, last answer ${answer?.status}`] : [];
  });
  return [...sorts, ...orders];
}

function notDone({ after, outcomes }: ChaosRun): string[] {
  return outcomes.flatMap(({ order, answer }) => {
    if (!order.mark || answer === undefined || answer.status >= 300 || after.marked(order.mark) > 0)
      return [];
    return [`${order.method} ${order.path} (${order.mark.text}): ${answer.status} ${answer.body}`];
  });
}

function jobsWithoutEffect({ after, jobs, outcomes }: ChaosRun): string[] {
  const succeeded = new Set(jobs.filter(({ state }) => state === 'succeeded').map(({ id }) => id));
  return outcomes.flatMap(({ order, jobId }) => {
    if (jobId === undefined || !succeeded.has(jobId)) return [];
    const { leadChange, terminated } = order;
    if (leadChange && !hasChange(after.leads.get(leadChange.leadId), leadChange))
      return [`${jobId}: lead ${leadChange.leadId} has not got its change`];
    if (terminated !== undefined && !after.isSuspended(emailOfCrmUser(terminated)))
      return [`${jobId}: CRM user ${terminated} is not suspended`];
    return [];
  });
}

/** Numbers are kept as the CRM likes them; a later order may have changed the campaign again, not the phones. */
const hasChange = (
  lead: { PHONE?: { VALUE: string }[] | null | undefined } | undefined,
  { phone }: { phone: string },
): boolean => (lead?.PHONE ?? []).some(({ VALUE }) => VALUE.replaceAll(/\D/g, '').endsWith(phone.slice(1)));

function untold({ callbacks, jobs }: ChaosRun): string[] {
  const pending = jobs.filter(({ callback }) => callback === 'pending' || callback === 'failed').map(told);
  if (callbacks.received >= callbacks.promised) return pending;
  return [...pending, `${callbacks.received} of ${callbacks.promised} callbacks came`];
}

const tail = (output: string): string => output.trim().split('\n').slice(-3).join('\n      ').slice(-1_500);

function diedOfItself({ name, lives }: Supervised): string[] {
  return lives
    .slice(0, -1)
    .filter(({ wasKilled, wasReady }) => wasReady && !wasKilled)
    .map(life => `${name} (${life.ended}): ${tail(life.output())}`);
}

function endedBadly({ name, lives }: Supervised): string[] {
  const last = lives.at(-1);
  return last && last.ended !== 0 ? [`${name} (${last.ended}): ${tail(last.output())}`] : [];
}

const unhandledWords =
  /unhandled|uncaught|MaxListenersExceeded|heap out of memory|\bTypeError\b|ReferenceError/i;

const unhandled = ({ name, lives }: Supervised): string[] =>
  lives.flatMap(life =>
    life
      .output()
      .split('\n')
      .filter(line => unhandledWords.test(line))
      .map(line => `${name}: ${line.slice(0, 600)}`),
  );
