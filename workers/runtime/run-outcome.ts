/** What a run that came to its own end writes into the job's row: its result, or the plan it is held with. */

import type { JobContract } from '../../core/jobs/contract.ts';
import { editionOf, type JobHeld, type JobSuccess, type OpenHandler } from '../../core/jobs/handler.ts';
import type { JobRecord, JobRecords } from '../../core/jobs/record.ts';
import type { Run } from './run.ts';

/**
 * The write; it may be repeated until the database takes it.
 * @throws ZodError when the result is not what the contract promises
 */
export function endOfRun(
  { contract, handler, records }: { contract: JobContract; handler: OpenHandler; records: JobRecords },
  { claim, warnings, sandboxes: used }: Run,
  { exclusiveKey }: JobRecord,
  done: JobSuccess<unknown> | JobHeld<unknown>,
): () => Promise<boolean> {
  const sandboxes = [...used];
  if ('held' in done) {
    const held = {
      result: contract.result.parse(done.held.report),
      plan: done.held.plan,
      warnings,
      sandboxes,
    };
    return () => records.hold(claim, held);
  }
  const result = contract.result.parse(done.result);
  const outcome = {
    progress: { stage: 'done', done: 1, total: 1, percent: 100 },
    result,
    file: done.file ?? null,
    warnings,
    sandboxes,
    supersedes: exclusiveKey !== null && !isDryRun(result),
    reusable:
      contract.reusable && done.reusableUntil
        ? { until: done.reusableUntil, edition: editionOf(handler) }
        : undefined,
  };
  return () => records.succeed(claim, outcome);
}

/** It changed nothing, so that a plan that was held before it stands as it did. */
const isDryRun = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'dryRun' in result && result.dryRun === true;
