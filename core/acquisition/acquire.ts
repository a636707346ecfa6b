/**
 * Brings a local copy up to date with an outside system's list: what has changed since the last time, or all of it.
 * A reading that is cut off goes on where it was; one that is not whole changes nothing; one that looks like a fault of
 * the system is held.
 */
import { z } from 'zod';
import type { Changes, CopiedTable } from '../db/copied-table.ts';
import type { SyncState, SyncStates } from '../db/sync-states.ts';
import { ServiceError } from '../errors.ts';
import type { JobContext } from '../jobs/handler.ts';
import { type GuardLimits, reasonsToHold, usualLimits } from '../plan-guard.ts';
import { UpstreamError } from '../systems/upstream-error.ts';

export interface AcquiredRow {
  id: number;
  modifiedAt: Date;
}

/** Where a reading has got to. */
const Position = z.object({ after: z.int(), read: z.int(), total: z.int() });
type Position = z.infer<typeof Position>;

export interface Source<Row extends AcquiredRow> {
  /** Under which its state is kept, such as `crm-deals`. */
  kind: string;
  /** For sentences, such as `the CRM’s deals`. */
  title: string;
  copy: CopiedTable<Row>;
  /** The rows by rising id. @throws UpstreamError with the code `incomplete` when there are fewer than promised */
  read(options: { changedSince?: Date; from?: Position; expected?: number }): AsyncIterable<{
    rows: Row[];
    unreadable: { id: number; reason: string }[];
    position: Position;
  }>;
}

export interface Acquired {
  /** Whether all was read, or only what has changed. */
  full: boolean;
  asOf: Date;
  read: number;
  changes: Changes;
  unreadable: { id: number; reason: string }[];
  /** Why nothing was changed; empty when all was. */
  heldBecause: string[];
  /** What a release goes on with. */
  plan: Plan;
}

/** What is known of a reading, kept with the job. */
const Plan = z.object({
  kind: z.string(),
  full: z.boolean(),
  asOf: z.iso.datetime(),
  changedSince: z.iso.datetime().nullable(),
  /** The latest change among the rows. */
  newest: z.iso.datetime().nullable(),
  position: Position.nullable(),
  changes: z.object({ matched: z.int(), created: z.int(), updated: z.int(), deleted: z.int() }),
  unreadable: z.array(z.object({ id: z.int(), reason: z.string() })),
});
export type Plan = z.infer<typeof Plan>;

export type AcquisitionContext = Pick<
  JobContext,
  'jobId' | 'checkpoint' | 'signal' | 'progress' | 'released'
>;

/**
 * The copy follows the system wherever it goes: changes are no danger, however many. Rows that vanish are; a copy that
 * was emptied by a fault of the system shows nothing for hours.
 */
export const copyLimits: GuardLimits = { ...usualLimits, maxChangedShare: 1 };

/** The system's clock may be behind ours, and what it was told just now may show late: read that much again, in ms. */
const overlapMs = 10 * 60_000;
const maxUnreadableKept = 1_000;

export async function acquire<Row extends AcquiredRow>(
  source: Source<Row>,
  states: SyncStates,
  {
    full,
    context,
    limits = copyLimits,
  }: { full: boolean; context: AcquisitionContext; limits?: GuardLimits },
): Promise<Acquired> {
  const state = await states.read(source.kind);
  const released = releasedPlan(source, state, context);
  if (released) return await carryOut(source, states, released, context);
  await source.copy.dropStale();
  const plan = await readAll(source, state, await begin(source, state, full, context), context);
  if (isCarriedOut(plan, state)) return acquired(plan, []);
  if (!plan.full) return await finishChanges(source, states, plan);
  const changes = await source.copy.compare(context.jobId, new Date(plan.asOf));
  const reasons = whyToHold(source, state, plan, changes, limits);
  return reasons.length > 0
    ? acquired({ ...plan, changes }, reasons)
    : await carryOut(source, states, plan, context);
}

/** An earlier run of the job may have begun; a complete read is also what there is when nothing was read yet. */
async function begin<Row extends AcquiredRow>(
  { kind }: Source<Row>,
  state: SyncState | undefined,
  full: boolean,
  { checkpoint }: AcquisitionContext,
): Promise<Plan> {
  const earlier = Plan.safeParse(await checkpoint.read());
  if (earlier.success && earlier.data.kind === kind) return earlier.data;
  const last = state?.changedSince ?? undefined;
  return {
    kind,
    full: full || last === undefined,
    asOf: new Date().toISOString(),
    changedSince: full || last === undefined ? null : new Date(last.getTime() - overlapMs).toISOString(),
    newest: last?.toISOString() ?? null,
    position: null,
    changes: { matched: 0, created: 0, updated: 0, deleted: 0 },
    unreadable: [],
  };
}

async function readAll<Row extends AcquiredRow>(
  source: Source<Row>,
  state: SyncState | undefined,
  begun: Plan,
  context: AcquisitionContext,
): Promise<Plan> {
  let plan = begun;
  const { full, changedSince, position } = plan;
  const options = {
    ...(changedSince !== null && { changedSince: new Date(changedSince) }),
    ...(position && { from: position }),
    ...(full ? state && { expected: state.read } : { expected: 1 }),
  };
  try {
    for await (const chunk of source.read(options)) {
      context.signal.throwIfAborted();
      const changes = await take(source, chunk, plan, context.jobId);
      plan = noted(plan, chunk, changes);
      await context.checkpoint.write(plan);
      const { read, total } = chunk.position;
      context.progress(`reading ${source.title}`, read, total, Math.floor((90 * read) / Math.max(1, total)));
    }
  } catch (error) {
    if (error instanceof UpstreamError && error.failure.code === incomplete) {
      await context.checkpoint.write(null);
      await source.copy.dropGathered(context.jobId);
    }
    throw error;
  }
  return plan;
}

/** A reading that came to this is begun anew: where it went wrong is not known. */
const incomplete = 'incomplete';

/** A complete read is put aside until it is whole; of changes each is whole by itself. */
async function take<Row extends AcquiredRow>(
  { copy }: Source<Row>,
  { rows, unreadable }: { rows: Row[]; unreadable: { id: number }[] },
  plan: Plan,
  run: string,
): Promise<Changes | undefined> {
  if (!plan.full) return await copy.merge(rows);
  await copy.gather(run, rows);
  await copy.keep(
    run,
    unreadable.map(({ id }) => id),
  );
  return undefined;
}

function noted(
  plan: Plan,
  chunk: { rows: AcquiredRow[]; unreadable: Plan['unreadable']; position: Position },
  changes: Changes | undefined,
): Plan {
  const times = chunk.rows.map(row => row.modifiedAt.toISOString());
  const newest = [...times, ...(plan.newest === null ? [] : [plan.newest])].sort().at(-1) ?? null;
  return {
    ...plan,
    newest,
    position: chunk.position,
    changes: changes ? added(plan.changes, changes) : plan.changes,
    unreadable: [...plan.unreadable, ...chunk.unreadable].slice(0, maxUnreadableKept),
  };
}

const added = (one: Changes, other: Changes): Changes => ({
  matched: one.matched + other.matched,
  created: one.created + other.created,
  updated: one.updated + other.updated,
  deleted: one.deleted + other.deleted,
});

function whyToHold<Row extends AcquiredRow>(
  { title }: Source<Row>,
  state: SyncState | undefined,
  plan: Plan,
  changes: Changes,
  limits: GuardLimits,
): string[] {
  const read = plan.position?.read ?? 0;
  const target = changes.matched + changes.updated + changes.deleted;
  const source = { title, read, lastRead: state?.fullAt ? state.read : undefined, complete: true };
  return reasonsToHold(
    { target, changed: changes.updated, deleted: changes.deleted, sources: [source] },
    limits,
  );
}

async function carryOut<Row extends AcquiredRow>(
  { kind, copy }: Source<Row>,
  states: SyncStates,
  plan: Plan,
  { jobId }: AcquisitionContext,
): Promise<Acquired> {
  const asOf = new Date(plan.asOf);
  const changes = await copy.replace(jobId, asOf, db =>
    states.write(
      kind,
      { asOf, fullAt: asOf, read: plan.position?.read ?? 0, changedSince: watermark(plan) },
      db,
    ),
  );
  return acquired({ ...plan, changes }, []);
}

async function finishChanges<Row extends AcquiredRow>(
  { kind }: Source<Row>,
  states: SyncStates,
  plan: Plan,
): Promise<Acquired> {
  await states.write(kind, { asOf: new Date(plan.asOf), changedSince: watermark(plan) });
  return acquired(plan, []);
}

/** What changed while we read may have been passed by already. */
const watermark = ({ newest, asOf }: Plan): Date | null =>
  newest === null ? null : new Date(newest < asOf ? newest : asOf);

/** A run that was killed after its last write has nothing left to do. */
const isCarriedOut = (plan: Plan, state: SyncState | undefined): boolean =>
  state?.asOf.getTime() === new Date(plan.asOf).getTime();

/** @throws ServiceError conflict when the copy has been brought up to date since */
function releasedPlan<Row extends AcquiredRow>(
  { kind }: Source<Row>,
  state: SyncState | undefined,
  { released }: AcquisitionContext,
): Plan | undefined {
  if (!released) return undefined;
  const plan = Plan.parse(released.plan);
  if (plan.kind !== kind) return undefined;
  if (!state || state.asOf <= new Date(plan.asOf)) return plan;
  throw new ServiceError(
    'conflict',
    'A newer reading has been carried out since this one was held; nothing was changed.',
  );
}

const acquired = (plan: Plan, heldBecause: string[]): Acquired => ({
  full: plan.full,
  asOf: new Date(plan.asOf),
  read: plan.position?.read ?? 0,
  changes: plan.changes,
  unreadable: plan.unreadable,
  heldBecause,
  plan,
});
