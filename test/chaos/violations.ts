/** The rules that every chaos run must satisfy. */
import { type ChaosRun, emailOfCrmUser } from './chaos.ts';
import { repeatedEffects } from './observed-effects.ts';
import type { OutageRun } from './outages.ts';
import type { Outcome } from './send-all.ts';
import { isFinished } from './settled-jobs.ts';
import type { SupervisedProcess } from './supervisor.ts';

export interface Violation {
  rule: string;
  evidence: string[];
}

type Rule = [rule: string, evidence: string[]];

export const findViolations = (run: ChaosRun): Violation[] => violationsOf(rulesOf(run));

/** After outages of vendor systems, jobs and requests must also succeed, without a restart. */
export const findOutageViolations = (run: OutageRun): Violation[] =>
  violationsOf([
    ...rulesOf(run),
    ['every job succeeds, is held, or was superseded while held', failedJobs(run)],
    ['every request succeeds', failedRequests(run)],
    ['no process restarts', restarted(run)],
    ['all employees are deleted and restored', run.deletions.flatMap(({ problems }) => problems)],
    ['a held run is mailed once', unevenNotifications(run)],
    ['a repeated run finds nothing left to do', run.unfinishedWork],
  ]);

/** While the stores work badly, requests and jobs are late, and no process restarts. */
export const findDegradedViolations = (run: ChaosRun): Violation[] =>
  violationsOf([
    ...rulesOf(run),
    ['every job succeeds, is held, or was superseded while held', failedJobs(run)],
    ['every request succeeds', failedRequests(run)],
    ['no request is answered with an internal error', internalAnswers(run)],
    ['no process restarts', restarted(run)],
  ]);

const failedJobs = ({ jobs }: ChaosRun): string[] =>
  jobs
    .filter(({ state, problem }) => !['succeeded', 'held'].includes(state) && problem !== 'job-superseded')
    .map(describe);

const restarted = ({ processes }: ChaosRun): string[] =>
  processes.filter(({ runs }) => runs.length > 1).map(({ name }) => name);

/** From the log, because clients repeat the request. */
const internalAnswers = ({ processes }: ChaosRun): string[] =>
  processes.flatMap(({ name, runs }) =>
    runs.flatMap(run =>
      run
        .output()
        .split('\n')
        .filter(line => /"status":500\b/.test(line))
        .map(line => `${name}: ${line.slice(0, 600)}`),
    ),
  );

/** A mail that arrives twice, or none although runs are held. */
function unevenNotifications({ notifications, jobs }: OutageRun): string[] {
  const isMissing = notifications.length === 0 && jobs.some(({ state }) => state === 'held');
  const repeated = notifications.filter((link, index) => notifications.indexOf(link) !== index);
  return [...repeated, ...(isMissing ? ['no mail'] : [])];
}

const violationsOf = (rules: readonly Rule[]): Violation[] =>
  rules.filter(([, evidence]) => evidence.length > 0).map(([rule, evidence]) => ({ rule, evidence }));

/** An SMS or item whose response was lost is not sent again, and the client gets 409: these have no lookup. */
export const hasUnknownOutcome = ({ request, response }: Outcome): boolean =>
  response?.status === 409 && ['messages', 'items'].includes(request.mark?.collection ?? '');

const failedRequests = ({ outcomes }: ChaosRun): string[] =>
  outcomes.flatMap(outcome => {
    const { request, response } = outcome;
    if ((response !== undefined && response.status < 300) || hasUnknownOutcome(outcome)) return [];
    return [`${request.method} ${request.path}: ${response?.status} ${response?.body}`];
  });

function rulesOf(run: ChaosRun): Rule[] {
  return [
    ['every accepted job has a row', lostJobs(run)],
    ['every job finishes', unfinished(run)],
    ['a held job has a plan', run.jobs.filter(job => job.state === 'held' && !job.hasPlan).map(describe)],
    ['no job fails with an internal error', internalErrors(run)],
    [
      'one idempotency key starts one job',
      run.outcomes.filter(({ jobIds }) => jobIds.size > 1).map(({ jobIds }) => [...jobIds].join(' ')),
    ],
    ['no effect occurs twice', repeated(run)],
    ['no employee record is lost', [...run.before.employees].filter(employee => !run.after.employees.has(employee))],
    ['the effect of every successful response exists', missingEffects(run)],
    ['the effect of every succeeded job exists', jobsWithoutEffect(run)],
    ['mirrors equal the CRM lists', run.mirrorErrors],
    ['results of PDF jobs are complete', run.invalidResults],
    ['every callback is delivered', missingCallbacks(run)],
    ['no process crashes', run.processes.flatMap(crashes)],
    ['every process restarts', run.processes.filter(process => !process.runs.at(-1)?.wasReady).map(({ name }) => name)],
    ['every process shuts down with exit code 0', run.processes.flatMap(failedShutdown)],
    ['no unhandled errors in the logs', run.processes.flatMap(unhandled)],
    ['no process remains', run.leftovers.processes],
    ['no connection remains', run.leftovers.connections],
    ['no Redis connection remains', run.leftovers.redisConnections > 0 ? [String(run.leftovers.redisConnections)] : []],
    ['no temporary file remains', run.leftovers.files],
    ['no port remains open', run.leftovers.ports.map(String)],
  ];
}

const describe = ({
  id,
  state,
  attemptsMade,
  problem,
  detail,
  callback,
  tried,
  finishedAt,
}: ChaosRun['jobs'][number]): string =>
  `${id} ${state}${finishedAt ? ` at ${finishedAt.toISOString()}` : ''}, attempts ${attemptsMade}, callback ${callback} (${tried}), ${problem ?? ''} ${detail ?? ''}`;

function lostJobs({ outcomes, jobs }: ChaosRun): string[] {
  const known = new Set(jobs.map(({ id }) => id));
  return outcomes.flatMap(({ jobIds }) => [...jobIds].filter(id => !known.has(id)));
}

/** With the timeline of each job and its last log lines: a job that waits says why in them. */
const unfinished = ({ jobs, processes }: ChaosRun): string[] =>
  jobs
    .filter(job => !isFinished(job))
    .flatMap(job => [
      describe(job),
      `  until ${new Date().toISOString()}: ${job.timeline}`,
      ...processes.flatMap(process => linesAbout(process, job.id, '"err"').slice(-2)),
    ]);

/** Jobs may fail because of vendor faults and repeatedly killed workers, but not for these reasons. */
function internalErrors({ jobs, processes }: ChaosRun): string[] {
  const problems = ['internal-error', 'browser-failed', 'page-contract-broken', 'job-timed-out'];
  return jobs
    .filter(({ problem, state }) => state === 'failed' && problems.includes(problem ?? ''))
    .flatMap(job => [describe(job), ...processes.flatMap(process => linesAbout(process, job.id, 'job failed'))]);
}

/** Its log lines about a job that have the text. */
const linesAbout = ({ name, runs }: SupervisedProcess, jobId: string, text: string): string[] =>
  runs.flatMap(run =>
    run
      .output()
      .split('\n')
      .filter(line => line.includes(jobId) && line.includes(text))
      .map(line => `  ${name}: ${line.slice(0, 900)}`),
  );

function repeated({ before, after, outcomes }: ChaosRun): string[] {
  const ofTypes = [...after.byType].flatMap(([type, counts]) =>
    repeatedEffects(before.byType.get(type) ?? new Map(), counts).map(effect => `${type}, ${effect}`),
  );
  const ofRequests = outcomes.flatMap(({ request, response }) => {
    const times = request.mark ? after.countOf(request.mark) : 0;
    return times > 1 ? [`${times} times: ${request.method} ${request.path}, last status ${response?.status}`] : [];
  });
  return [...ofTypes, ...ofRequests];
}

function missingEffects({ after, outcomes }: ChaosRun): string[] {
  return outcomes.flatMap(({ request, response }) => {
    if (!request.mark || response === undefined || response.status >= 300 || after.countOf(request.mark) > 0) return [];
    return [`${request.method} ${request.path} (${request.mark.text}): ${response.status} ${response.body}`];
  });
}

function jobsWithoutEffect({ after, jobs, outcomes }: ChaosRun): string[] {
  const succeeded = new Set(jobs.filter(({ state }) => state === 'succeeded').map(({ id }) => id));
  return outcomes.flatMap(({ request, jobId }) => {
    if (jobId === undefined || !succeeded.has(jobId)) return [];
    const { leadChange, terminatedCrmId } = request;
    if (leadChange && !hasChange(after.leads.get(leadChange.leadId), leadChange))
      return [`${jobId}: lead ${leadChange.leadId} does not have its change`];
    if (terminatedCrmId !== undefined && !after.isSuspended(emailOfCrmUser(terminatedCrmId)))
      return [`${jobId}: CRM user ${terminatedCrmId} is not suspended`];
    return [];
  });
}

/** Compares the phone only: a later request may change the campaign. The CRM formats numbers its own way. */
const hasChange = (
  lead: { PHONE?: { VALUE: string }[] | null | undefined } | undefined,
  { phone }: { phone: string },
): boolean => (lead?.PHONE ?? []).some(({ VALUE }) => VALUE.replaceAll(/\D/g, '').endsWith(phone.slice(1)));

function missingCallbacks({ callbacks, jobs, processes }: ChaosRun): string[] {
  const pending = jobs
    .filter(({ callback }) => callback === 'pending' || callback === 'failed')
    .flatMap(job => [describe(job), ...processes.flatMap(process => linesAbout(process, job.id, 'callback'))]);
  if (callbacks.received >= callbacks.expected) return pending;
  return [...pending, `${callbacks.received} of ${callbacks.expected} callbacks were received`];
}

const tail = (output: string): string => output.trim().split('\n').slice(-3).join('\n      ').slice(-1_500);

function crashes({ name, runs }: SupervisedProcess): string[] {
  return runs
    .slice(0, -1)
    .filter(({ wasKilled, wasReady }) => wasReady && !wasKilled)
    .map(run => `${name} (${run.ended}): ${tail(run.output())}`);
}

function failedShutdown({ name, runs }: SupervisedProcess): string[] {
  const last = runs.at(-1);
  return last && last.ended !== 0 ? [`${name} (${last.ended}): ${tail(last.output())}`] : [];
}

const unhandledPattern = /unhandled|uncaught|MaxListenersExceeded|heap out of memory|\bTypeError\b|ReferenceError/i;

const unhandled = ({ name, runs }: SupervisedProcess): string[] =>
  runs.flatMap(run =>
    run
      .output()
      .split('\n')
      .filter(line => unhandledPattern.test(line))
      .map(line => `${name}: ${line.slice(0, 600)}`),
  );
