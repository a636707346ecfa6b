/** Reads the plans of held jobs. The plan of many rows is larger than an API process should hold: it is read in parts. */
import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { HeldPlan, PlannedRow } from '../record.ts';
import { jobPlanTable as table } from '../schema.ts';

/** Items of each group of changes: as many as a page shows. */
const shownItems = 500;
const partBytes = 4_000_000;
const rowsAtOnce = 20_000;

/** What a released job carries out; the changes by name, which may be much larger, are for people. */
export async function findReleasedPlan(db: NodePgDatabase, id: string): Promise<unknown> {
  const [row] = await db
    // As text, because drizzle parses JSON strings a second time.
    .select({ plan: sql<string>`${table.plan}::text` })
    .from(table)
    .where(and(eq(table.jobId, id), isNotNull(table.releasedAt)));
  return row && (JSON.parse(row.plan) as unknown);
}

export async function findPlan(db: NodePgDatabase, id: string): Promise<HeldPlan | undefined> {
  const [row] = await db
    .select({
      changes: sql<HeldPlan['changes']>`(
        select coalesce(json_agg(json_build_object(
          'outcome', of.value -> 'outcome', 'reason', of.value -> 'reason',
          'total', jsonb_array_length(of.value -> 'items'),
          'items', jsonb_path_query_array(of.value -> 'items', ${`$[0 to ${shownItems - 1}]`}::jsonpath)) order by of.place), '[]')
        from jsonb_array_elements(${table.changes}) with ordinality as of (value, place))`,
      heldAt: table.heldAt,
      by: table.releasedBy,
      at: table.releasedAt,
    })
    .from(table)
    .where(eq(table.jobId, id));
  if (!row) return undefined;
  const { by, at, ...plan } = row;
  return { ...plan, released: by !== null && at !== null ? { by, at: at.toISOString() } : null };
}

/** The JSON of the plan, of its changes, and of when it was held and released. Ends with an error when it is replaced meanwhile. */
export async function* planParts(
  db: NodePgDatabase,
  id: string,
  { heldAt, released }: HeldPlan,
): AsyncGenerator<Buffer> {
  yield Buffer.from('{"plan":');
  yield* partsOf(db, id, 'plan', heldAt);
  yield Buffer.from(',"changes":');
  yield* partsOf(db, id, 'changes', heldAt);
  yield Buffer.from(`,"heldAt":"${heldAt.toISOString()}","released":${JSON.stringify(released)}}`);
}

/** PostgreSQL makes the text again for each part, so that no connection is held while a client reads slowly. */
async function* partsOf(
  db: NodePgDatabase,
  id: string,
  column: 'plan' | 'changes',
  heldAt: Date,
): AsyncGenerator<Buffer> {
  const text = sql`convert_to(${table[column]}::text, 'UTF8')`;
  const isSame = sql`date_trunc('milliseconds', ${table.heldAt}) = ${heldAt.toISOString()}::timestamptz`;
  for (let from = 1; ; from += partBytes) {
    const [row] = await db
      .select({ part: sql<Buffer>`substring(${text} from ${from}::int for ${partBytes}::int)` })
      .from(table)
      .where(and(eq(table.jobId, id), isSame));
    if (!row) throw new Error('the plan was replaced while it was read');
    if (row.part.length > 0) yield row.part;
    if (row.part.length < partBytes) return;
  }
}

/** All changes, in pages. */
export async function* plannedRows(db: NodePgDatabase, id: string): AsyncGenerator<PlannedRow[]> {
  for (let from = 0; ; from += rowsAtOnce) {
    const { rows } = await db.execute<PlannedRow & Record<string, unknown>>(sql`
      select of.value ->> 'outcome' as outcome, of.value ->> 'reason' as reason, item.value ->> 'key' as key,
        item.value ->> 'name' as name, coalesce(item.value ->> 'detail', '') as detail
      from ${table}, jsonb_array_elements(changes) with ordinality as of (value, place),
        jsonb_array_elements(of.value -> 'items') with ordinality as item (value, place)
      where job_id = ${id} order by of.place, item.place limit ${rowsAtOnce} offset ${from}`);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsAtOnce) return;
  }
}
