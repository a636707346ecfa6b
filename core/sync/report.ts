/** The report of a synchronisation: what was read, what came of each row, and what it cost. */
import { z } from 'zod';

const count = z.int().min(0);

export const SyncRow = z
  .object({
    key: z.string().describe('Which row it is, such as an id; never a person’s name or address.'),
    outcome: z.enum(['created', 'updated', 'deleted', 'skipped', 'failed', 'ambiguous', 'conflict']),
    reason: z.string(),
  })
  .meta({
    examples: [{ key: '4711', outcome: 'failed', reason: 'The CRM refused it: the title is empty.' }],
  });
export type SyncRow = z.infer<typeof SyncRow>;

export const SyncReport = z
  .object({
    dryRun: z
      .boolean()
      .describe('Whether this is what would have been done, and nothing was.')
      .meta({ examples: [false] }),
    read: count.describe('Rows read from the sources.').meta({ examples: [1_204] }),
    matched: count.describe('Rows that were the same already.').meta({ examples: [1_162] }),
    created: count.meta({ examples: [32] }),
    updated: count.meta({ examples: [8] }),
    deleted: count.meta({ examples: [0] }),
    skipped: count.meta({ examples: [1] }),
    failed: count.meta({ examples: [1] }),
    calls: count.describe('Requests to outside systems, repeats included.').meta({ examples: [26] }),
    seconds: z
      .number()
      .min(0)
      .meta({ examples: [12.61] }),
    rows: z
      .array(SyncRow)
      .describe('The rows that failed, are ambiguous or in conflict; with `dryRun` the planned changes too.'),
    rowsLeftOut: count
      .describe('Further rows, beyond the number that a report holds.')
      .meta({ examples: [0] }),
    heldBecause: z
      .array(z.string())
      .optional()
      .describe('Why the run was held instead of carried out; absent when it was not.'),
  })
  .meta({ id: 'SyncReport' });
export type SyncReport = z.infer<typeof SyncReport>;

const maxRows = 1_000;

type Counted = 'read' | 'matched' | 'created' | 'updated' | 'deleted' | 'skipped' | 'failed';

export interface ReportWriter {
  count(what: Counted, by?: number): void;
  row(row: SyncRow): void;
  /** @param calls requests made to outside systems, from the call scope */
  finish(calls: number): SyncReport;
}

export function startReport({ dryRun }: { dryRun: boolean }): ReportWriter {
  const begun = performance.now();
  const counts = { read: 0, matched: 0, created: 0, updated: 0, deleted: 0, skipped: 0, failed: 0 };
  const rows: SyncRow[] = [];
  let rowsLeftOut = 0;
  return {
    count(what, by = 1) {
      counts[what] += by;
    },
    row(row) {
      if (rows.length < maxRows) rows.push(row);
      else rowsLeftOut += 1;
    },
    finish: calls => ({
      dryRun,
      ...counts,
      calls,
      seconds: Math.round((performance.now() - begun) / 10) / 100,
      rows,
      rowsLeftOut,
    }),
  };
}
