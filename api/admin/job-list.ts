/** The list of jobs: the address has the filters, so that a link shows another operator the same list. */
import { z } from 'zod';
import { type JobRecord, JobState, waitOf } from '../../core/jobs/record.ts';
import { termsOf } from '../../core/jobs/repository/inputs.ts';
import { jobPage } from '../jobs/job-page.ts';
import type { ApiServices } from '../services.ts';
import { affectedBy } from './affected.ts';
import { durationText, reportView, timeView } from './format.ts';
import { tones } from './job-view.ts';

const pageSize = 50;
const text = z.string().trim().max(300);
/** A day and a time in Dubai, as the browser's input sends it. */
const dubaiTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/, 'must be a day and a time, such as 2026-01-31T08:00')
  .refine(at => !Number.isNaN(Date.parse(at)), 'must exist');

export const JobListQuery = z
  .strictObject({
    search: text,
    kind: text,
    state: JobState,
    client: text,
    from: dubaiTime,
    to: dubaiTime,
    problem: text,
    system: text,
    operation: text,
    cursor: z.string().max(1_000),
  })
  .partial();
type JobListQuery = z.output<typeof JobListQuery>;

/** The job id in a text, such as a log line or an address. */
export const jobIdIn = (search = ''): string | undefined =>
  /[a-z][a-z-]{0,40}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(search)?.[0];

const fromDubai = (at: string | undefined): Date | undefined =>
  at === undefined ? undefined : new Date(`${at}+04:00`);

export async function jobListView(query: JobListQuery, services: ApiServices) {
  const { search, kind, state, client, from, to, problem, system = '', operation = '', cursor } = query;
  const { items, nextCursor } = await jobPage(services, {
    clientId: client ?? null,
    kind,
    state,
    since: fromDubai(from),
    until: fromDubai(to),
    term: search,
    cause: problem === undefined ? undefined : { problem, system, operation },
    limit: pageSize,
    cursor,
  });
  const terms = await termsOf(
    services.database,
    items.map(({ id }) => id),
  );
  const { cursor: _, ...filters } = query;
  return {
    title: 'Jobs',
    filters,
    kinds: options([...services.contracts.keys()].sort(), kind),
    states: options(JobState.options, state),
    missingJob: jobIdIn(search),
    isFiltered: Object.keys(filters).length > 0,
    hasMore: [client, from, to].some(value => value !== undefined),
    jobs: items.map(job => jobRow(job, terms.get(job.id))),
    newest: cursor && pathOf(filters),
    older: nextCursor && pathOf({ ...filters, cursor: nextCursor }),
  };
}

/** Address of the list with these filters, below `/ops`. */
export function pathOf(filters: JobListQuery): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) query.set(name, value);
  return query.size === 0 ? '/jobs' : `/jobs?${query}`;
}

const options = (values: readonly string[], selected: string | undefined) =>
  values.map(value => ({ value, isSelected: value === selected }));

function jobRow(job: JobRecord, terms: readonly string[] | undefined) {
  const { id, kind, state, clientId, createdAt, startedAt } = job;
  const until = state === 'running' ? new Date() : job.finishedAt;
  return {
    id,
    kind,
    state,
    tone: tones[state],
    clientId,
    created: timeView(createdAt),
    ran: startedAt && until && durationText(until.getTime() - startedAt.getTime()),
    note: noteOf(job),
    affected: affectedBy(job, terms),
  };
}

/** What distinguishes the job from others of its kind and state; no personal data. */
function noteOf(job: JobRecord): string | undefined {
  const { state, progress, error, resultFile, result } = job;
  if (state === 'running' && progress) return `${progress.percent} %, ${progress.stage}`;
  if (state === 'scheduled' && waitOf(job)) return `waits for ${waitOf(job)}; the attempt does not count`;
  if (state === 'scheduled')
    return `attempt ${job.attemptsMade} of ${job.attemptsMax} failed: ${error?.title ?? 'unknown'}`;
  if (error) return error.upstream ? `${error.title} (${error.upstream.system})` : error.title;
  return resultFile?.fileName ?? reportView(result).changes;
}
