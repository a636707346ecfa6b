/** Queues on the overview page: job kinds grouped by subject, with their counts. */
import type { JobContract } from '../../core/jobs/contract.ts';
import type { OpenJobCounts } from '../../core/jobs/repository/open-counts.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import { groupBy } from '../../core/values/group-by.ts';
import type { ApiServices } from '../services.ts';
import { durationText } from './format.ts';
import type { DayCounts, ProcessHeartbeat } from './overview-queries.ts';

/** A queue that does not answer counts as not paused; the status section reports that it is down. */
const queueTimeoutMs = 500;

/** The kinds whose queue was paused on Bull Board. */
export async function pausedKinds({
  contracts,
  queues,
}: Pick<ApiServices, 'contracts' | 'queues'>): Promise<Set<string>> {
  const asked = [...contracts.values()].map(async contract => {
    const isPaused = await withTimeout(queues.queue(contract).isPaused(), queueTimeoutMs).catch(() => false);
    return isPaused ? [contract.kind] : [];
  });
  return new Set((await Promise.all(asked)).flat());
}

export interface QueueFacts {
  openCounts: readonly OpenJobCounts[];
  dayCounts: readonly DayCounts[];
  processes: readonly ProcessHeartbeat[];
  paused: ReadonlySet<string>;
  deferred: ReadonlyMap<string, number>;
}

/** Sorted by subject; kinds without a subject last. */
export function queueGroups(
  contracts: ReadonlyMap<string, JobContract>,
  facts: QueueFacts,
  basePath: string,
): object[] {
  const queues = facts.openCounts.flatMap(jobs => {
    const contract = contracts.get(jobs.kind);
    return contract ? [{ subject: contract.subject ?? '', row: queueRow(jobs, contract, facts, basePath) }] : [];
  });
  return [...groupBy(queues, ({ subject }) => subject)]
    .sort(([one], [other]) => Number(one === '') - Number(other === '') || one.localeCompare(other))
    .map(([subject, of]) => ({ title: titleOf(subject), queues: of.map(({ row }) => row) }));
}

function queueRow(
  { kind, queued, scheduled, running, held, oldestWaitingSeconds }: OpenJobCounts,
  contract: JobContract,
  { dayCounts, processes, paused, deferred: allDeferred }: QueueFacts,
  basePath: string,
): object {
  const { succeeded = 0, failed = 0 } = dayCounts.find(counts => counts.kind === kind) ?? {};
  const deferred = Math.min(scheduled, allDeferred.get(kind) ?? 0);
  const workers = processes.filter(
    process => process.isAlive && process.kinds.some(served => served.kind === kind),
  ).length;
  return {
    kind,
    summary: contract.summary,
    board: boardUrl(contract, basePath),
    waiting: queued,
    oldest: queued > 0 ? durationText(oldestWaitingSeconds * 1_000) : null,
    running,
    retrying: scheduled - deferred,
    deferred,
    held,
    succeeded,
    failed,
    workers,
    lacksWorker: workers === 0 && queued > 0,
    paused: paused.has(kind),
  };
}

const titleOf = (subject: string): string =>
  subject === '' ? 'Others' : subject.charAt(0).toUpperCase() + subject.slice(1);

/** Bull Board groups queues by the text before the delimiter. */
export const delimiter = '.';
export const prefixOf = ({ subject }: JobContract): string => (subject === undefined ? '' : subject + delimiter);

/** Address of a queue's page. */
export const boardUrl = (contract: JobContract, basePath: string): string =>
  `${basePath}/ops/queues/queue/${encodeURIComponent(prefixOf(contract) + contract.kind)}`;
