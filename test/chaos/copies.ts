/** The local copies of the CRM's lists at the end of a chaos run, compared with what the CRM had when it began. */
import pg from 'pg';
import { z } from 'zod';
import type { SandboxControl } from '../support/sandbox.ts';

/** Ids, by the copy's table. */
export type CrmLists = ReadonlyMap<string, ReadonlySet<number>>;

const CrmRow = z.object({ ID: z.int(), CATEGORY_ID: z.int() });
type CrmRow = z.infer<typeof CrmRow>;

/** The two pipelines that are acquired unless settings name others. */
const pipelines = [0, 1];

/** The copies, with the state that says whether all was read once, and which rows of the CRM belong into them. */
const copies = [
  { table: 'crm_location', state: 'crm-locations', list: 'locations', belongs: () => true },
  {
    table: 'deal',
    state: 'crm-deals',
    list: 'deals',
    belongs: ({ CATEGORY_ID: pipeline }: CrmRow) => pipelines.includes(pipeline),
  },
];

const everything = 50_000;
const Rows = z.array(z.object({ id: z.int() }));

export async function readCrmLists(sandbox: SandboxControl): Promise<CrmLists> {
  const lists = copies.map(async ({ table, list, belongs }) => {
    const { latest } = await sandbox.rows('crm', list, everything);
    const rows = z.array(CrmRow).parse(latest).filter(belongs);
    return [table, new Set(rows.map(({ ID }) => ID))] as const;
  });
  return new Map(await Promise.all(lists));
}

/** What a copy that was read wholly has lost, or has without the CRM having it; empty when there is nothing. */
export async function faultsOfCopies(
  databaseUrl: string,
  before: CrmLists,
  after: CrmLists,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const faults: string[] = [];
    for (const { table, state } of copies) {
      const { rowCount } = await client.query(
        'select from sync_state where kind = $1 and full_at is not null',
        [state],
      );
      if (rowCount === 0) continue;
      const { rows } = await client.query(`select id from ${table}`);
      const copied = new Set(Rows.parse(rows).map(({ id }) => id));
      const lost = [...(before.get(table) ?? [])].filter(id => after.get(table)?.has(id) && !copied.has(id));
      const invented = [...copied].filter(id => !after.get(table)?.has(id));
      if (lost.length > 0) faults.push(`${table} lacks ${lost.length} rows of ${before.get(table)?.size}`);
      if (invented.length > 0) faults.push(`${table} has ${invented.length} rows that the CRM has not`);
    }
    return faults;
  } finally {
    await client.end();
  }
}
