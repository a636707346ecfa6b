/** The report of a synchronisation: rows read, the outcome of each row, calls and duration. */
import { z } from 'zod';
import { callContext } from '../integrations/kit/call-context.ts';
import { badRowKey, reasonText } from '../integrations/kit/read-rows.ts';
import { PlaceOfChanges, plannedEffect } from '../jobs/planned-effect.ts';
import { PlannedChanges } from '../jobs/record.ts';

const count = z.int().min(0);

/** Member of the requests and payloads of synchronisations. */
export const DryRun = z
  .boolean()
  .default(false)
  .describe('Returns the plan without changing anything.')
  .meta({ examples: [true] });

export const SyncRow = z
  .object({
    key: z.string().describe('Id of the row; never a person’s name or address.'),
    outcome: z
      .enum(['created', 'updated', 'deleted', 'skipped', 'failed', 'ambiguous', 'conflict'])
      .describe('What happened to the row.'),
    reason: z.string().describe('Why, as a sentence.'),
  })
  .meta({
    examples: [{ key: '4711', outcome: 'failed', reason: 'The CRM rejected it: the title is empty.' }],
  });
export type SyncRow = z.infer<typeof SyncRow>;

export const SyncReport = z
  .object({
    dryRun: z
      .boolean()
      .describe('True if the report shows planned changes and nothing was changed.')
      .meta({ examples: [false] }),
    read: count.describe('Rows read from the sources.').meta({ examples: [1_204] }),
    matched: count.describe('Rows that needed no change.').meta({ examples: [1_162] }),
    created: count.meta({ examples: [32] }).describe('Rows created.'),
    updated: count.meta({ examples: [8] }).describe('Rows updated.'),
    deleted: count.meta({ examples: [0] }).describe('Rows deleted.'),
    skipped: count.meta({ examples: [1] }).describe('Rows left out.'),
    failed: count.meta({ examples: [1] }).describe('Rows that failed.'),
    calls: count.describe('Requests to outside systems, including retries.').meta({ examples: [26] }),
    seconds: z
      .number()
      .min(0)
      .meta({ examples: [12.61] })
      .describe('Duration of the run.'),
    rows: z
      .array(SyncRow)
      .describe('Rows that failed, are ambiguous or in conflict; with `dryRun` also the planned changes.'),
    rowsLeftOut: count.describe('Number of further rows that did not fit into the report.').meta({ examples: [0] }),
    heldBecause: z
      .array(z.string())
      .optional()
      .describe('Why the run was held instead of applied; absent if it was not held.'),
    wouldDo: z
      .string()
      .optional()
      .describe('What a release would do, after "It would"; absent if it was not held.')
      .meta({ examples: ['mark as gone 1,000 of 2,000 in the local copy; the CRM is not changed'] }),
    places: z
      .array(PlaceOfChanges)
      .optional()
      .describe('What changes where; of a dry or held run, as planned. Absent from synchronisations that only add.')
      .meta({ examples: [[{ place: 'the CRM', created: 32, updated: 8, deleted: 0, rows: 11_960 }]] }),
  })
  .meta({ id: 'SyncReport' });
export type SyncReport = z.infer<typeof SyncReport>;

/** For the report of a run. @param reasons to hold it */
export const placeMembers = (reasons: readonly string[], places: PlaceOfChanges[]) => ({
  places,
  ...(reasons.length > 0 && { heldBecause: [...reasons], wouldDo: plannedEffect(places) }),
});

/** @param reason a sentence that applies to all changes of its group */
export type PlannedChange = Omit<PlannedChanges, 'items'> & PlannedChanges['items'][number];

const outcomes = PlannedChanges.shape.outcome.options;

/** By outcome and reason. */
export function groupChanges(changes: readonly PlannedChange[]): PlannedChanges[] {
  const groups = new Map<string, PlannedChanges>();
  for (const { outcome, reason, ...item } of changes) {
    const id = `${outcome} ${reason}`;
    groups
      .set(id, groups.get(id) ?? { outcome, reason, items: [] })
      .get(id)
      ?.items.push(item);
  }
  return orderGroups([...groups.values()]);
}

/** Deletions first, then the largest group; without empty ones. */
export function orderGroups(groups: readonly PlannedChanges[]): PlannedChanges[] {
  const place = ({ outcome }: PlannedChanges): number => outcomes.indexOf(outcome);
  return groups
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => place(a) - place(b) || b.items.length - a.items.length);
}

const maxRows = 1_000;

type Counted = 'read' | 'matched' | 'created' | 'updated' | 'deleted' | 'skipped' | 'failed';

export type ReportWriter = ReturnType<typeof startReport>;

export function startReport({ dryRun }: { dryRun: boolean }) {
  const startMs = performance.now();
  const counts = { read: 0, matched: 0, created: 0, updated: 0, deleted: 0, skipped: 0, failed: 0 };
  const rows: SyncRow[] = [];
  const keys = new Set<string>();
  let rowsLeftOut = 0;
  const planned: PlannedChange[] = [];
  const row = (added: SyncRow): void => {
    keys.add(added.key);
    if (rows.length < maxRows) rows.push(added);
    else rowsLeftOut += 1;
  };
  return {
    count(what: Counted, by = 1): void {
      counts[what] += by;
    },
    row,
    /** Adds the row and counts its outcome. @param named adds it to the plan of a held run, too */
    countRow(counted: SyncRow & { outcome: Counted }, named?: Pick<PlannedChange, 'name' | 'detail'>): void {
      counts[counted.outcome] += 1;
      row(counted);
      if (named) planned.push({ ...counted, ...named });
    },
    /** The changes by name, for a held run. */
    planned,
    /** Rows that failed to be written, without those that could not be read. */
    rejected: () => counts.failed,
    /**
     * Adds the rows of outside systems that could not be read.
     * @param calls requests made to outside systems, from the call context
     */
    finish(calls: number): SyncReport {
      const unreadable = [...callContext().badRows.values()]
        // A handler may have reported it, by its id alone or with its kind.
        .filter(bad => !keys.has(bad.id) && !keys.has(badRowKey(bad)))
        .map((bad): SyncRow => ({ key: badRowKey(bad), outcome: 'failed', reason: reasonText(bad) }));
      const all = [...rows, ...unreadable];
      return {
        dryRun,
        ...counts,
        failed: counts.failed + unreadable.length,
        calls,
        seconds: Math.round((performance.now() - startMs) / 10) / 100,
        rows: all.slice(0, maxRows),
        rowsLeftOut: rowsLeftOut + Math.max(0, all.length - maxRows),
      };
    },
  };
}
