/**
 * Updates a mirror from an outside system's list: with the changes since the last read, or with all rows. An interrupted
 * read resumes at its cursor; an incomplete one changes nothing; one that looks like a fault of the system is held.
 */
import { UpstreamError } from '../integrations/kit/upstream-error.ts';
import type { JobContext } from '../jobs/handler.ts';
import type { PlannedChanges } from '../jobs/record.ts';
import { ServiceError } from '../runtime/errors.ts';
import { newCursor, type Position, ReadCursor, type ReadPage, watermark, withChanges, withPage } from './cursor.ts';
import type { Changes, MirrorTable, StagedRead } from './mirror-table.ts';
import { type GuardedPlan, type GuardLimits, mirrorLimits, reasonsToHold } from './plan-guard.ts';
import { groupChanges } from './report.ts';
import type { UnreadableRow } from './schema.ts';
import type { SyncState, SyncStates } from './states.ts';

interface MirrorRow {
  id: number;
  modifiedAt: Date;
}

export interface MirrorSource<Row extends MirrorRow> {
  /** Key of its sync state, such as `crm-deals`. */
  kind: string;
  /** For the start of a sentence, such as `The CRM’s deals`. */
  title: string;
  table: MirrorTable<Row>;
  /** The rows by ascending id. @throws UpstreamError with the code `incomplete` if there are fewer than announced */
  read(options: { changedSince?: Date; from?: Position; expected?: number }): AsyncIterable<ReadPage<Row>>;
}

export interface MirrorUpdate {
  /** True if all rows were read, false if only changed ones. */
  full: boolean;
  /** When the read started. */
  asOf: Date;
  read: number;
  /** The changes made; of a held read the changes it would make. */
  changes: Changes;
  unreadable: UnreadableRow[];
  /** Why nothing was changed; empty if the read was applied. */
  heldBecause: string[];
  /** The rows that a held read would change. */
  planned: PlannedChanges[];
  /** JSON from which a released job continues. */
  plan: ReadCursor;
}

export type MirrorContext = Pick<JobContext, 'jobId' | 'checkpoint' | 'signal' | 'progress' | 'released'>;

export interface MirrorOptions {
  full: boolean;
  /** Reads all rows, and changes nothing. */
  dryRun?: boolean;
  context: MirrorContext;
  limits?: GuardLimits;
}

export async function updateMirror<Row extends MirrorRow>(
  source: MirrorSource<Row>,
  states: SyncStates,
  options: MirrorOptions,
): Promise<MirrorUpdate> {
  const { context } = options;
  const state = await states.read(source.kind);
  const { stage, cursor: start } = await startOf(source, state, options);
  switch (stage) {
    case 'applied':
      return updateOf(start, []);
    case 'released':
      return await replaceAll(source, states, start, context);
    case 'reading': {
      await source.table.dropAbandoned(context.jobId);
      const cursor = await readPages(source, state, start, context);
      const read = { state, cursor };
      return cursor.full ? await endFullRead(source, states, read, options) : await endChanges(source, states, read);
    }
  }
}

/** `applied`: an earlier run was killed after its last write. `released`: all rows are staged. */
type Start = { stage: 'applied' | 'released' | 'reading'; cursor: ReadCursor };

async function startOf<Row extends MirrorRow>(
  source: MirrorSource<Row>,
  state: SyncState | undefined,
  { full, dryRun = false, context }: MirrorOptions,
): Promise<Start> {
  const released = releasedCursor(source.kind, state, context);
  const resumed = await resumableCursor(source, state, context);
  for (const cursor of [resumed, released]) if (cursor && isApplied(cursor, state)) return { stage: 'applied', cursor };
  if (released) return { stage: 'released', cursor: released };
  return { stage: 'reading', cursor: resumed ?? newCursor(source.kind, state, full || dryRun) };
}

interface FinishedRead {
  /** Before it. */
  state: SyncState | undefined;
  cursor: ReadCursor;
}

/** The changed rows are in the mirror. */
async function endChanges(
  { kind }: { kind: string },
  states: SyncStates,
  { state, cursor }: FinishedRead,
): Promise<MirrorUpdate> {
  const again = new Set(cursor.unreadable.map(({ id }) => id));
  const earlier = (state?.unreadable ?? []).filter(({ id }) => !again.has(id));
  const unreadable = [...earlier, ...cursor.unreadable];
  await states.write(kind, { asOf: new Date(cursor.asOf), changedSince: watermark(cursor), unreadable });
  return updateOf(cursor, []);
}

/** All rows are staged: they replace the mirror, unless they look wrong. */
async function endFullRead<Row extends MirrorRow>(
  source: MirrorSource<Row>,
  states: SyncStates,
  { state, cursor }: FinishedRead,
  { dryRun = false, context, limits = mirrorLimits }: MirrorOptions,
): Promise<MirrorUpdate> {
  const staged = stagedRead(cursor, context);
  const changes = await source.table.compare(staged);
  const reasons = reasonsToHold(guardedPlan(source.title, state, cursor, changes), limits);
  if (dryRun) {
    await source.table.dropStaged(context.jobId);
    return updateOf({ ...cursor, changes }, reasons);
  }
  if (reasons.length === 0) return await replaceAll(source, states, cursor, context);
  const rows = await source.table.changedRows(staged);
  const planned = groupChanges(rows.map(row => ({ ...row, reason: plannedReasons[row.outcome] })));
  return { ...updateOf({ ...cursor, changes }, reasons), planned };
}

const plannedReasons = {
  deleted: 'No longer in the outside system: deleted from the local copy.',
  created: 'New in the outside system: added to the local copy.',
  updated: 'Changed in the outside system: updated in the local copy.',
};

/** The checkpoint of an earlier run of the job; undefined if there is none or it cannot be resumed. */
async function resumableCursor<Row extends MirrorRow>(
  { kind, table }: MirrorSource<Row>,
  state: SyncState | undefined,
  { jobId, checkpoint }: MirrorContext,
): Promise<ReadCursor | undefined> {
  const { data: cursor } = ReadCursor.safeParse(await checkpoint.read());
  if (!cursor?.position || cursor.kind !== kind) return undefined;
  if (isApplied(cursor, state)) return cursor;
  if (state && state.asOf > new Date(cursor.asOf)) return undefined;
  // The staged rows of a failed job are dropped when other jobs run before its retry.
  if (cursor.full && (await table.countStaged(jobId)) < cursor.position.read) return undefined;
  return cursor;
}

async function readPages<Row extends MirrorRow>(
  source: MirrorSource<Row>,
  state: SyncState | undefined,
  start: ReadCursor,
  context: MirrorContext,
): Promise<ReadCursor> {
  const { full, changedSince, position } = start;
  let cursor = start;
  const pages = source.read({
    ...(changedSince !== null && { changedSince: new Date(changedSince) }),
    ...(position && { from: position }),
    ...(full ? state && { expected: state.read } : { expected: 1 }),
  });
  try {
    for await (const page of pages) {
      context.signal.throwIfAborted();
      cursor = await storePage(source.table, page, cursor, context);
      const { read, total } = page.position;
      context.progress('reading', read, total, Math.floor((90 * read) / Math.max(read, total)));
    }
  } catch (error) {
    // The retry reads from the start, because the page with the missing rows is unknown.
    if (error instanceof UpstreamError && error.failure.code === 'incomplete') {
      await context.checkpoint.write(null);
      await source.table.dropStaged(context.jobId);
    }
    throw error;
  }
  return cursor;
}

/**
 * Stages the page of a complete read, or merges a page of changes. The cursor is written in the same transaction, so
 * that a run that has lost its job writes neither.
 */
async function storePage<Row extends MirrorRow>(
  table: MirrorTable<Row>,
  page: ReadPage<Row>,
  before: ReadCursor,
  { jobId, checkpoint }: MirrorContext,
): Promise<ReadCursor> {
  let cursor = withPage(before, page);
  if (cursor.full) await table.stage(jobId, page, db => checkpoint.write(cursor, db));
  else
    await table.merge(page.rows, async (db, changes) => {
      cursor = withChanges(cursor, changes);
      await checkpoint.write(cursor, db);
    });
  return cursor;
}

function guardedPlan(
  title: string,
  state: SyncState | undefined,
  { position }: ReadCursor,
  { matched, updated, deleted }: Changes,
): GuardedPlan {
  const sources = [{ title, read: position?.read ?? 0, lastRead: state?.fullAt ? state.read : undefined }];
  return { target: matched + updated + deleted, changed: updated, deleted, sources };
}

async function replaceAll<Row extends MirrorRow>(
  { kind, table }: MirrorSource<Row>,
  states: SyncStates,
  cursor: ReadCursor,
  context: MirrorContext,
): Promise<MirrorUpdate> {
  const staged = stagedRead(cursor, context);
  const { read, readAt: asOf } = staged;
  const state = { asOf, fullAt: asOf, read, changedSince: watermark(cursor), unreadable: cursor.unreadable };
  const changes = await table.replace(staged, async (db, made) => {
    await states.write(kind, state, db);
    await context.checkpoint.write({ ...cursor, changes: made }, db);
  });
  return updateOf({ ...cursor, changes }, []);
}

const stagedRead = ({ asOf, position }: ReadCursor, { jobId }: MirrorContext): StagedRead => ({
  jobId,
  read: position?.read ?? 0,
  readAt: new Date(asOf),
});

/** True if an earlier run was killed after its last write. */
const isApplied = ({ asOf }: ReadCursor, state: SyncState | undefined): boolean =>
  state?.asOf.getTime() === new Date(asOf).getTime();

/** @throws ServiceError conflict if a newer read was applied since the job was held */
function releasedCursor(
  kind: string,
  state: SyncState | undefined,
  { released }: MirrorContext,
): ReadCursor | undefined {
  if (!released) return undefined;
  const cursor = ReadCursor.parse(released.plan);
  if (cursor.kind !== kind) return undefined;
  if (!state || state.asOf <= new Date(cursor.asOf)) return cursor;
  throw new ServiceError('conflict', 'A newer read was applied after this one was held; nothing was changed.');
}

const updateOf = (cursor: ReadCursor, heldBecause: string[]): MirrorUpdate => ({
  full: cursor.full,
  asOf: new Date(cursor.asOf),
  read: cursor.position?.read ?? 0,
  changes: cursor.changes,
  unreadable: cursor.unreadable,
  heldBecause,
  planned: [],
  plan: cursor,
});
