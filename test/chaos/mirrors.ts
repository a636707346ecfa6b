/** Compares the mirrors of CRM lists after a chaos run with the CRM before and after it. */
import pg from 'pg';
import { z } from 'zod';
import type { SandboxControl } from '../support/sandbox.ts';

/** By the mirror's table. */
export type CrmIds = ReadonlyMap<string, ReadonlySet<number>>;

const CrmRow = z.object({ ID: z.int(), CATEGORY_ID: z.int() });
type CrmRow = z.infer<typeof CrmRow>;

/** The pipelines that the service mirrors by default. */
const pipelines = [0, 1];

/** `state` is the `sync_state` row that records a full read. */
const mirrors = [
  { table: 'crm_location', state: 'crm-locations', list: 'locations', isMirrored: () => true },
  {
    table: 'deal',
    state: 'crm-deals',
    list: 'deals',
    isMirrored: ({ CATEGORY_ID: pipeline }: CrmRow) => pipelines.includes(pipeline),
  },
];

const everything = 50_000;
const Rows = z.array(z.object({ id: z.int() }));

export async function readCrmIds(sandbox: SandboxControl): Promise<CrmIds> {
  const lists = mirrors.map(async ({ table, list, isMirrored }) => {
    const { latest } = await sandbox.rows('crm', list, everything);
    const rows = z.array(CrmRow).parse(latest).filter(isMirrored);
    return [table, new Set(rows.map(({ ID }) => ID))] as const;
  });
  return new Map(await Promise.all(lists));
}

/** Lost and extra rows of the mirrors that were read completely. */
export async function mirrorErrors(databaseUrl: string, before: CrmIds, after: CrmIds): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const errors: string[] = [];
    for (const { table, state } of mirrors) {
      const { rowCount } = await client.query('select from sync_state where kind = $1 and full_at is not null', [
        state,
      ]);
      if (rowCount === 0) continue;
      const { rows } = await client.query(`select id from ${table}`);
      const mirrored = new Set(Rows.parse(rows).map(({ id }) => id));
      const lost = [...(before.get(table) ?? [])].filter(id => after.get(table)?.has(id) && !mirrored.has(id));
      const extra = [...mirrored].filter(id => !after.get(table)?.has(id));
      if (lost.length > 0) errors.push(`${table} lost ${lost.length} of ${before.get(table)?.size} rows`);
      if (extra.length > 0) errors.push(`${table} has ${extra.length} rows that the CRM does not have`);
    }
    return errors;
  } finally {
    await client.end();
  }
}
