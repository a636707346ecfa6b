/** Failed jobs by cause, and the action that retries all jobs of one cause. */
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { type FailureGroup, failureGroups } from '../../core/jobs/repository/failures.ts';
import { termsOf } from '../../core/jobs/repository/inputs.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { asServiceError, ServiceError } from '../../core/runtime/errors.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { ApiServices } from '../services.ts';
import type { ActionReport, PreparedAction } from './action.ts';
import { recordAt } from './affected.ts';
import { pluralize, timeView } from './format.ts';
import { pathOf } from './job-list.ts';

const spans = { day: { label: 'Last 24 hours', hours: 24 }, week: { label: 'Last 7 days', hours: 168 } } as const;
const Span = z.enum(['day', 'week']);
export const SpanQuery = z.strictObject({ span: Span.default('day') });

const maxGroups = 100;
/** Jobs that one action retries: each takes some statements, and the browser waits for the last one. */
const maxRetries = 500;
const concurrentRetries = 4;
/** Per reason, in the report. */
const maxJobs = 20;

export async function failuresView({ span: current }: z.output<typeof SpanQuery>, services: ApiServices) {
  const causes = await failureCauses(services, spans[current].hours, maxGroups);
  return {
    title: 'Failures',
    span: spans[current].label,
    spans: Span.options.map(span => ({
      path: `/failures?span=${span}`,
      label: spans[span].label,
      isCurrent: span === current,
    })),
    causes,
    isCut: causes.length === maxGroups,
  };
}

/** Causes of the failures in the last hours, the most frequent first. */
export async function failureCauses({ database }: Pick<ApiServices, 'database'>, hours: number, limit: number) {
  const until = new Date();
  const after = new Date(until.getTime() - hours * 3_600_000);
  const groups = await failureGroups(database, after, limit);
  const terms = await termsOf(
    database,
    groups.map(({ jobId }) => jobId),
  );
  return groups.map(group => ({
    ...causeView(group, after, until),
    affected: recordAt(group.pointer ?? '', terms.get(group.jobId) ?? []) ?? terms.get(group.jobId)?.[0],
  }));
}

function causeView(group: FailureGroup, after: Date, until: Date) {
  const { kind, problem, system, operation, firstAt, lastAt } = group;
  const cause = { kind, problem, system, operation };
  const query = new URLSearchParams({ ...cause, after: after.toISOString(), until: until.toISOString() });
  return {
    ...group,
    key: Object.values(cause).join(' '),
    isSingle: group.count === 1,
    clients: pluralize(group.clients, 'client'),
    title: group.title ?? 'Failed',
    detail: group.detail?.slice(0, 300),
    first: firstAt && timeView(firstAt),
    last: lastAt && timeView(lastAt),
    list: pathOf({ ...cause, state: 'failed' }),
    retry: `/failures/retry?${query}`,
  };
}

const isoTime = z.iso.datetime().transform(at => new Date(at));
const text = z.string().max(300);

/** The jobs that a link of the page means: those that had failed when the page was made. */
export const RetryQuery = z.strictObject({
  kind: text,
  problem: text,
  system: text.default(''),
  operation: text.default(''),
  after: isoTime,
  until: isoTime,
});

/** @throws ServiceError not-found without such jobs; conflict when this version does not run jobs of the kind */
export async function prepareRetries(
  { kind, ...cause }: z.output<typeof RetryQuery>,
  services: ApiServices,
): Promise<PreparedAction> {
  const contract = services.contracts.get(kind);
  if (!contract) throw new ServiceError('conflict', `This version cannot run jobs of the kind ${kind}.`);
  const found = await services.records.list({ clientId: null, kind, cause, limit: maxRetries + 1 });
  const jobs = found.slice(0, maxRetries);
  const [sample] = jobs;
  if (!sample)
    throw new ServiceError('not-found', 'No job that failed for this cause is left: all were retried or deleted.');
  const noun = pluralize(jobs.length, 'job');
  const cut = `Only the newest ${maxRetries} are retried; repeat the action for the others.`;
  const clients = [...groupBy(jobs, ({ clientId }) => clientId)].map(([client, of]) => `${client} (${of.length})`);
  return {
    confirmation: {
      title: `Retry ${noun}?`,
      effect: `Each job keeps its id and continues at its checkpoint. ${found.length > maxRetries ? cut : ''}`,
      facts: [
        { label: 'Kind', value: kind },
        { label: 'Cause', value: sample.error?.title ?? 'Failed' },
        ...(cause.system ? [{ label: 'Last call', value: `${cause.system}: ${cause.operation}` }] : []),
        { label: 'Latest error', value: sample.error?.detail.slice(0, 300) ?? 'none' },
        { label: 'Clients', value: clients.join(', ') },
      ],
      reasons: [],
      confirm: `Retry ${noun}`,
      isGrave: false,
      seen: `${jobs.length} ${sample.id}`,
      back: '/failures',
    },
    carryOut: by =>
      retryJobs(
        jobs.map(({ id }) => id),
        contract,
        services,
        by,
      ),
  };
}

/** Retries each job as `POST /jobs/{id}/retry` does. */
async function retryJobs(
  ids: readonly string[],
  contract: JobContract,
  { jobs, logger }: ApiServices,
  by: Actor,
): Promise<ActionReport> {
  const outcomes = await mapConcurrent(ids, { limit: concurrentRetries }, async id => {
    try {
      await jobs.retry(contract, id, by);
      return { id };
    } catch (error) {
      const refusal = asServiceError(error);
      if (refusal.code === 'internal-error') logger.error({ err: error, jobId: id }, 'the job could not be retried');
      return { id, refusal: refusal.message };
    }
  });
  const retried = outcomes.filter(({ refusal }) => refusal === undefined).length;
  return {
    title: `${retried} retried, ${ids.length - retried} refused`,
    back: { path: '/failures', label: 'Failures' },
    groups: [...groupBy(outcomes, ({ refusal }) => refusal)].map(([refusal, of]) => ({
      title: refusal === undefined ? `${of.length} wait for their next run` : `${of.length} refused: ${refusal}`,
      isRefused: refusal !== undefined,
      jobs: of.slice(0, maxJobs),
      more: Math.max(0, of.length - maxJobs),
    })),
  };
}
