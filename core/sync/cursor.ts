/** What is known of a reading: kept with the job from page to page, and as the plan of one that is held. */
import { z } from 'zod';
import type { Changes } from './mirror-table.ts';
import type { SyncState } from './states.ts';

export const Position = z.object({ after: z.int(), read: z.int(), total: z.int() });
export type Position = z.infer<typeof Position>;

export const Reading = z.object({
  /** What is read, such as `crm-deals`. */
  kind: z.string(),
  full: z.boolean(),
  /** When it began. */
  asOf: z.iso.datetime(),
  changedSince: z.iso.datetime().nullable(),
  /** The latest change among the rows. */
  newest: z.iso.datetime().nullable(),
  /** Null before the first page. */
  position: Position.nullable(),
  changes: z.object({ matched: z.int(), created: z.int(), updated: z.int(), deleted: z.int() }),
  unreadable: z.array(z.object({ id: z.int(), reason: z.string() })),
});
export type Reading = z.infer<typeof Reading>;

export interface ReadPage<Row> {
  rows: Row[];
  unreadable: { id: number; reason: string }[];
  position: Position;
}

/** The system's clock may be behind ours, and what it was told just now may show late: read that much again, in ms. */
const overlapMs = 10 * 60_000;
const maxUnreadableKept = 1_000;

/** All there is when that is asked for, or when nothing was read yet; else what has changed since. */
export function newReading(kind: string, state: SyncState | undefined, full: boolean): Reading {
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

export function withPage(reading: Reading, page: ReadPage<{ modifiedAt: Date }>): Reading {
  const times = page.rows.map(row => row.modifiedAt.toISOString());
  const newest = [...times, ...(reading.newest === null ? [] : [reading.newest])].sort().at(-1) ?? null;
  return {
    ...reading,
    newest,
    position: page.position,
    unreadable: [...reading.unreadable, ...page.unreadable].slice(0, maxUnreadableKept),
  };
}

/** With what a page that was written at once came to. */
export const withChanges = (reading: Reading, { matched, created, updated, deleted }: Changes): Reading => ({
  ...reading,
  changes: {
    matched: reading.changes.matched + matched,
    created: reading.changes.created + created,
    updated: reading.changes.updated + updated,
    deleted: reading.changes.deleted + deleted,
  },
});

/** Up to when changes are known: what changed while we read may have been passed by already. */
export const watermark = ({ newest, asOf }: Reading): Date | null =>
  newest === null ? null : new Date(newest < asOf ? newest : asOf);
