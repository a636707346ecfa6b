/** The queues on the page of operations: each kind of job under its subject, with its traffic. */

import type { JobContract } from '../../core/jobs/contract.ts';
import type { JobCensus } from '../../core/jobs/repository/open-counts.ts';
import type { DayEnds, ProcessSign } from '../../core/jobs/repository/overview.ts';
import type { ApiServices } from '../services.ts';
import { queueOnBoard } from './board.ts';
import { lengthWords } from './format.ts';

export interface QueueGroup {
  title: string;
  queues: QueueRow[];
}

interface QueueRow {
  kind: string;
  summary: string;
  /** Its page on Bull Board. */
  board: string;
  waiting: number;
  /** How long the job that waits longest does; null when none waits. */
  oldest: string | null;
  running: number;
  /** An attempt failed and the next one is awaited. */
  retrying: number;
  held: number;
  succeeded: number;
  failed: number;
  workers: number;
  /** Jobs wait and nobody takes them. */
  stands: boolean;
  paused: boolean;
}

/** A queue that does not answer within this time is not told to be paused, in ms; the status tells that it is away. */
const patienceMs = 500;

/** The kinds whose queue was paused on Bull Board. */
export async function pausedKinds({
  contracts,
  queues,
}: Pick<ApiServices, 'contracts' | 'queues'>): Promise<Set<string>> {
  const asked = [...contracts.values()].map(async contract => {
    const late = new Promise<false>(resolve => setTimeout(resolve, patienceMs, false).unref());
    const isPaused = await Promise.race([
      queues
        .queue(contract)
        .isPaused()
        .catch(() => false),
      late,
    ]);
    return isPaused ? [contract.kind] : [];
  });
  return new Set((await Promise.all(asked)).flat());
}

export interface KnownOfQueues {
  census: readonly JobCensus[];
  ends: readonly DayEnds[];
  processes: readonly ProcessSign[];
  paused: ReadonlySet<string>;
}

/** The subjects by their names, what has none last. */
export function queueGroups(
  contracts: ReadonlyMap<string, JobContract>,
  known: KnownOfQueues,
  basePath: string,
): QueueGroup[] {
  const groups = new Map<string, QueueRow[]>();
  for (const jobs of known.census) {
    const contract = contracts.get(jobs.kind);
    if (!contract) continue;
    const subject = contract.subject ?? '';
    groups.set(subject, [...(groups.get(subject) ?? []), queueRow(jobs, contract, known, basePath)]);
  }
  return [...groups]
    .sort(([one], [other]) => Number(one === '') - Number(other === '') || one.localeCompare(other))
    .map(([subject, queues]) => ({ title: titleOf(subject), queues }));
}

function queueRow(
  { kind, queued, scheduled, running, held, oldestWaitingSeconds }: JobCensus,
  contract: JobContract,
  { ends, processes, paused }: KnownOfQueues,
  basePath: string,
): QueueRow {
  const { succeeded = 0, failed = 0 } = ends.find(end => end.kind === kind) ?? {};
  const workers = processes.filter(
    process => process.isAlive && process.kinds.some(taken => taken.kind === kind),
  ).length;
  return {
    kind,
    summary: contract.summary,
    board: `${basePath}/ops/queues/queue/${encodeURIComponent(queueOnBoard(contract))}`,
    waiting: queued,
    oldest: queued > 0 ? lengthWords(oldestWaitingSeconds * 1_000) : null,
    running,
    retrying: scheduled,
    held,
    succeeded,
    failed,
    workers,
    stands: workers === 0 && queued > 0,
    paused: paused.has(kind),
  };
}

const titleOf = (subject: string): string =>
  subject === '' ? 'Others' : subject.charAt(0).toUpperCase() + subject.slice(1);
