/** Writes and reads the rows of all tables, one file per table in the format of COPY; migrations create the tables. */
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import * as copy from 'pg-copy-streams';
import { z } from 'zod';

export const TableContents = z.object({
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  /** Last value by name. */
  sequences: z.record(z.string(), z.string()),
});
export type TableContents = z.infer<typeof TableContents>;
type Table = TableContents['tables'][number];

const lineBreak = 10;

const fileOf = (folder: string, table: Pick<Table, 'name'>) => path.join(folder, `${table.name}.copy.gz`);

const inSql = ({ name, columns }: Omit<Table, 'rows'>): string =>
  `public.${pg.escapeIdentifier(name)} (${columns.map(column => pg.escapeIdentifier(column)).join(', ')})`;

/** Tables after those that their foreign keys refer to; without unlogged ones, which hold counters of the moment. */
export async function listTables(client: pg.Client): Promise<Omit<Table, 'rows'>[]> {
  const { rows } = await client.query<Omit<Table, 'rows'>>(`
    with recursive reference (source, target) as (
      select conrelid, confrelid from pg_constraint where contype = 'f' and conrelid <> confrelid
    ), depth (id, level) as (
      select oid, 0 from pg_class where relkind in ('r', 'p')
      union select source, level + 1 from depth join reference on target = id where level < 100
    )
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relpersistence = 'p'
      and attnum > 0 and not attisdropped and attgenerated = ''
    group by pg_class.oid order by (select max(level) from depth where id = pg_class.oid), relname`);
  return rows;
}

export async function hasRows(client: pg.Client): Promise<boolean> {
  const names = (await listTables(client)).map(
    ({ name }) => `exists (select from public.${pg.escapeIdentifier(name)})`,
  );
  const { rows } = await client.query<{ found: boolean }>(`select ${['false', ...names].join(' or ')} as found`);
  return rows[0]?.found === true;
}

/** @param client in a transaction that sees one snapshot, such as one with the isolation level REPEATABLE READ */
export async function writeTables(client: pg.Client, folder: string): Promise<TableContents> {
  const tables: Table[] = [];
  for (const table of await listTables(client)) {
    const columns = table.columns.map(column => pg.escapeIdentifier(column)).join(', ');
    // A query, because COPY cannot read a partitioned table itself.
    const from = `select ${columns} from public.${pg.escapeIdentifier(table.name)}`;
    const rows = client.query(copy.to(`copy (${from}) to stdout`));
    const file = createWriteStream(fileOf(folder, table), { flags: 'wx', flush: true });
    await pipeline(rows, createGzip({ level: constants.Z_BEST_SPEED }), file);
    tables.push({ ...table, rows: rows.rowCount });
  }
  // Sequences ignore transactions: after the rows, so that no value is lower than one in a row.
  const { rows } = await client.query<{ name: string; value: string }>(`
    select sequencename as name, last_value::text as value from pg_sequences
    where schemaname = 'public' and last_value is not null`);
  return { tables, sequences: Object.fromEntries(rows.map(({ name, value }) => [name, value])) };
}

/** Reads all files. @throws Error when one is missing, damaged, or has another number of rows than stated */
export async function checkFiles(folder: string, { tables }: TableContents): Promise<void> {
  for (const table of tables) {
    let rows = 0;
    await pipeline(createReadStream(fileOf(folder, table)), createGunzip(), async chunks => {
      // COPY escapes the line breaks in values.
      for await (const chunk of chunks) for (const byte of chunk) if (byte === lineBreak) rows++;
    });
    if (rows !== table.rows) throw new Error(`${table.name} has ${rows} rows instead of ${table.rows}`);
  }
}

/** Fills empty tables in one transaction. */
export async function readTables(client: pg.Client, folder: string, contents: TableContents): Promise<void> {
  await client.query('begin');
  for (const table of contents.tables) {
    const name = `public.${pg.escapeIdentifier(table.name)}`;
    // Triggers write rows that the files have.
    await client.query(`alter table ${name} disable trigger user`);
    const rows = client.query(copy.from(`copy ${inSql(table)} from stdin`));
    await pipeline(createReadStream(fileOf(folder, table)), createGunzip(), rows);
    await client.query(`alter table ${name} enable trigger user`);
  }
  for (const [name, value] of Object.entries(contents.sequences))
    await client.query('select setval($1::regclass, $2)', [`public.${pg.escapeIdentifier(name)}`, value]);
  await client.query('commit');
}
