/**
 * Brings a local copy up to date with an outside system's list: what has changed since the last time, or all of it.
 * A reading that is cut off goes on where it was; one that is not whole changes nothing; one that looks like a fault of
 * the system is held.
 */

import { UpstreamError } from '../integrations/kit/upstream-error.ts';
import type { JobContext } from '../jobs/handler.ts';
import { ServiceError } from '../runtime/errors.ts';
import {
  newReading,
  type Position,
  Reading,
  type ReadPage,
  watermark,
  withChanges,
  withPage,
} from './cursor.ts';
import type { Changes, CopiedTable, Gathered } from './mirror-table.ts';
import { type GuardLimits, reasonsToHold, usualLimits } from './plan-guard.ts';
import type { SyncState, SyncStates } from './states.ts';

export interface Source<Row extends { id: number; modifiedAt: Date }> {
  /** Under which its state is kept, such as `crm-deals`. */
  kind: string;
  /** Begins a sentence, such as `The CRM’s deals`. */
  title: string;
  copy: CopiedTable<Row>;
  /** The rows by rising id. @throws UpstreamError with the code `incomplete` when there are fewer than promised */
  read(options: { changedSince?: Date; from?: Position; expected?: number }): AsyncIterable<ReadPage<Row>>;
}

export interface Acquired {
  /** Whether all was read, or only what has changed. */
  full: boolean;
  /** When the reading began. */
  asOf: Date;
  read: number;
  /** What was changed; of a held reading what would be. */
  changes: Changes;
  unreadable: { id: number; reason: string }[];
  /** Why nothing was changed; empty when all was. */
  heldBecause: string[];
  /** JSON; what a release goes on with. */
  plan: Reading;
}

export type AcquisitionContext = Pick<
  JobContext,
  'jobId' | 'checkpoint' | 'signal' | 'progress' | 'released'
>;

export interface AcquisitionOptions {
  full: boolean;
  context: AcquisitionContext;
  limits?: GuardLimits;
}

/**
 * The copy follows the system wherever it goes: changes are no danger, however many. Rows that vanish are; a copy that
 * was emptied by a fault of the system shows nothing for hours.
 */
const copyLimits: GuardLimits = { ...usualLimits, maxChangedShare: 1 };

export async function acquire<Row extends { id: number; modifiedAt: Date }>(
  source: Source<Row>,
  states: SyncStates,
  { full, context, limits = copyLimits }: AcquisitionOptions,
): Promise<Acquired> {
  const state = await states.read(source.kind);
  const released = releasedReading(source.kind, state, context);
  const earlier = await earlierReading(source, state, context);
  const known = earlier ?? released;
  if (known && isCarriedOut(known, state)) return acquired(known, []);
  if (released) return await carryOut(source, states, released, context);
  await source.copy.dropStale(context.jobId);
  const begun = earlier ?? newReading(source.kind, state, full);
  const reading = await readOn(source, state, begun, context);
  if (!reading.full) return await finishChanges(source, states, reading);
  const changes = await source.copy.compare(gatheredOf(reading, context));
  const reasons = whyToHold(source.title, state, reading, changes, limits);
  return reasons.length > 0
    ? acquired({ ...reading, changes }, reasons)
    : await carryOut(source, states, reading, context);
}

/** What an earlier run of the job has left; undefined when it is of no use any more. */
async function earlierReading<Row extends { id: number; modifiedAt: Date }>(
  { kind, copy }: Source<Row>,
  state: SyncState | undefined,
  { jobId, checkpoint }: AcquisitionContext,
): Promise<Reading | undefined> {
  const { data: earlier } = Reading.safeParse(await checkpoint.read());
  if (!earlier?.position || earlier.kind !== kind) return undefined;
  if (isCarriedOut(earlier, state)) return earlier;
  if (state && state.asOf > new Date(earlier.asOf)) return undefined;
  // A job that failed and was run again much later finds its rows cleared away.
  if (earlier.full && (await copy.countGathered(jobId)) < earlier.position.read) return undefined;
  return earlier;
}

/** A reading that came to this is begun anew: where it went wrong is not known. */
const incomplete = 'incomplete';

async function readOn<Row extends { id: number; modifiedAt: Date }>(
  source: Source<Row>,
  state: SyncState | undefined,
  begun: Reading,
  context: AcquisitionContext,
): Promise<Reading> {
  const { full, changedSince, position } = begun;
  let reading = begun;
  const pages = source.read({
    ...(changedSince !== null && { changedSince: new Date(changedSince) }),
    ...(position && { from: position }),
    ...(full ? state && { expected: state.read } : { expected: 1 }),
  });
  try {
    for await (const page of pages) {
      context.signal.throwIfAborted();
      reading = await take(source.copy, page, reading, context);
      const { read, total } = page.position;
      context.progress('reading', read, total, Math.floor((90 * read) / Math.max(read, total)));
    }
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.code === incomplete) {
      await context.checkpoint.write(null);
      await source.copy.dropGathered(context.jobId);
    }
    throw error;
  }
  return reading;
}

/**
 * A complete reading is put aside until it is whole; of changes each is whole by itself. How far the reading is goes
 * with the rows, so that a run that lost its job meanwhile writes neither.
 */
async function take<Row extends { modifiedAt: Date }>(
  copy: CopiedTable<Row>,
  page: ReadPage<Row>,
  before: Reading,
  { jobId, checkpoint }: AcquisitionContext,
): Promise<Reading> {
  let reading = withPage(before, page);
  if (reading.full) await copy.gather(jobId, page, db => checkpoint.write(reading, db));
  else
    await copy.merge(page.rows, async (db, changes) => {
      reading = withChanges(reading, changes);
      await checkpoint.write(reading, db);
    });
  return reading;
}

function whyToHold(
  title: string,
  state: SyncState | undefined,
  { position }: Reading,
  changes: Changes,
  limits: GuardLimits,
): string[] {
  const lastRead = state?.fullAt ? state.read : undefined;
  const source = { title, read: position?.read ?? 0, lastRead, complete: true };
  const target = changes.matched + changes.updated + changes.deleted;
  return reasonsToHold(
    { target, changed: changes.updated, deleted: changes.deleted, sources: [source] },
    limits,
  );
}

async function carryOut<Row extends { id: number; modifiedAt: Date }>(
  { kind, copy }: Source<Row>,
  states: SyncStates,
  reading: Reading,
  context: AcquisitionContext,
): Promise<Acquired> {
  const gathered = gatheredOf(reading, context);
  const { read, readAt: asOf } = gathered;
  const state = { asOf, fullAt: asOf, read, changedSince: watermark(reading) };
  const changes = await copy.replace(gathered, async (db, made) => {
    await states.write(kind, state, db);
    await context.checkpoint.write({ ...reading, changes: made }, db);
  });
  return acquired({ ...reading, changes }, []);
}

const gatheredOf = ({ asOf, position }: Reading, { jobId }: AcquisitionContext): Gathered => ({
  jobId,
  read: position?.read ?? 0,
  readAt: new Date(asOf),
});

async function finishChanges<Row extends { id: number; modifiedAt: Date }>(
  { kind }: Source<Row>,
  states: SyncStates,
  reading: Reading,
): Promise<Acquired> {
  await states.write(kind, { asOf: new Date(reading.asOf), changedSince: watermark(reading) });
  return acquired(reading, []);
}

/** A run that was killed after its last write has nothing left to do. */
const isCarriedOut = ({ asOf }: Reading, state: SyncState | undefined): boolean =>
  state?.asOf.getTime() === new Date(asOf).getTime();

/** @throws ServiceError conflict when the copy has been brought up to date since */
function releasedReading(
  kind: string,
  state: SyncState | undefined,
  { released }: AcquisitionContext,
): Reading | undefined {
  if (!released) return undefined;
  const reading = Reading.parse(released.plan);
  if (reading.kind !== kind) return undefined;
  if (!state || state.asOf <= new Date(reading.asOf)) return reading;
  throw new ServiceError(
    'conflict',
    'A newer reading has been carried out since this one was held; nothing was changed.',
  );
}

const acquired = (reading: Reading, heldBecause: string[]): Acquired => ({
  full: reading.full,
  asOf: new Date(reading.asOf),
  read: reading.position?.read ?? 0,
  changes: reading.changes,
  unreadable: reading.unreadable,
  heldBecause,
  plan: reading,
});
