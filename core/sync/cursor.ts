/** The position of a mirror update: checkpointed after each page, and stored as the plan of a held run. */
import { z } from 'zod';
import type { Changes } from './mirror-table.ts';
import type { UnreadableRow } from './schema.ts';
import type { SyncState } from './states.ts';

export const Position = z.object({ after: z.int(), read: z.int(), total: z.int() });
export type Position = z.infer<typeof Position>;

export const ReadCursor = z.object({
  /** The mirrored list, such as `crm-deals`. */
  kind: z.string(),
  full: z.boolean(),
  /** When the read started. */
  asOf: z.iso.datetime(),
  changedSince: z.iso.datetime().nullable(),
  /** The latest modification time among the rows. */
  newest: z.iso.datetime().nullable(),
  /** Null before the first page. */
  position: Position.nullable(),
  changes: z.object({ matched: z.int(), created: z.int(), updated: z.int(), deleted: z.int() }),
  unreadable: z.array(z.object({ id: z.int(), reason: z.string() })),
});
export type ReadCursor = z.infer<typeof ReadCursor>;

export interface ReadPage<Row> {
  rows: Row[];
  unreadable: UnreadableRow[];
  position: Position;
}

/** Changes of this many ms are read again: the vendor's clock may be behind ours, and changes may appear late. */
const overlapMs = 10 * 60_000;
const maxUnreadableStored = 1_000;

/** Reads everything if `full` or if nothing was read before, else what changed since the last read. */
export function newCursor(kind: string, state: SyncState | undefined, full: boolean): ReadCursor {
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

export function withPage(cursor: ReadCursor, page: ReadPage<{ modifiedAt: Date }>): ReadCursor {
  const times = page.rows.map(row => row.modifiedAt.toISOString());
  const newest = [...times, ...(cursor.newest === null ? [] : [cursor.newest])].sort().at(-1) ?? null;
  return {
    ...cursor,
    newest,
    position: page.position,
    unreadable: [...cursor.unreadable, ...page.unreadable].slice(0, maxUnreadableStored),
  };
}

/** Adds the counts of a page that was merged into the mirror. */
export const withChanges = (cursor: ReadCursor, { matched, created, updated, deleted }: Changes): ReadCursor => ({
  ...cursor,
  changes: {
    matched: cursor.changes.matched + matched,
    created: cursor.changes.created + created,
    updated: cursor.changes.updated + updated,
    deleted: cursor.changes.deleted + deleted,
  },
});

/** Changes up to here are known. Never after the start of the read: later changes may be on pages already read. */
export const watermark = ({ newest, asOf }: ReadCursor): Date | null =>
  newest === null ? null : new Date(newest < asOf ? newest : asOf);
