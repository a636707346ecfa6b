/** Reads the rows of a database as JSON and writes them back. */
import type pg from 'pg';

export interface TableRows {
  /** With its schema, such as `public.job`. */
  table: string;
  rows: readonly Record<string, unknown>[];
}

/** All tables with rows, each after the tables it refers to; without generated columns. */
export async function readTables(client: pg.ClientBase, schemas: readonly string[]): Promise<TableRows[]> {
  const tables: TableRows[] = [];
  for (const table of await tablesInOrder(client, schemas)) {
    const { rows: columns } = await client.query<{ name: string }>(
      `SELECT quote_ident(attname) AS name FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
      [table],
    );
    const { rows } = await client.query<{ row: Record<string, unknown> }>(
      `SELECT to_json(t) AS row FROM (SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${table}) t`,
    );
    if (rows.length > 0) tables.push({ table, rows: rows.map(({ row }) => row) });
  }
  return tables;
}

/**
 * Inserts the rows without triggers and shifts their times by `ageMs`. Identity columns continue after the rows.
 */
export async function writeTables(client: pg.ClientBase, tables: readonly TableRows[], ageMs: number): Promise<void> {
  for (const { table, rows } of tables) {
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const columns = await columnsOf(client, table, Object.keys(rows[0] ?? {}));
    await client.query(
      `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.map(({ value }) => value).join(', ')} FROM json_populate_recordset(null::${table}, $1), (SELECT $2::float8 * interval '1 ms' AS age)`,
      [JSON.stringify(rows), ageMs],
    );
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await continueSequences(client, table);
  }
}

async function continueSequences(client: pg.ClientBase, table: string): Promise<void> {
  const { rows: sequences } = await client.query<{ name: string; sequence: string }>(
    `SELECT quote_ident(attname) AS name, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND pg_get_serial_sequence($1, attname) IS NOT NULL`,
    [table],
  );
  for (const { name, sequence } of sequences)
    await client.query(`SELECT setval($1, (SELECT max(${name}) FROM ${table}))`, [sequence]);
}

async function columnsOf(
  client: pg.ClientBase,
  table: string,
  recorded: readonly string[],
): Promise<{ name: string; value: string }[]> {
  const { rows } = await client.query<{ name: string; type: string; filled: boolean }>(
    `SELECT quote_ident(attname) AS name, atttypid::regtype::text AS type, attnotnull AS filled
       FROM pg_attribute WHERE attrelid = $1::regclass AND attname = ANY($2) ORDER BY attnum`,
    [table, recorded],
  );
  return rows.map(({ name, type, filled }) => ({ name, value: selected(name, type, filled) }));
}

function selected(name: string, type: string, filled: boolean): string {
  if (type === 'timestamp with time zone') return `${name} + age`;
  // A JSON null was read as an SQL null.
  return type === 'jsonb' && filled ? `coalesce(${name}, 'null')` : name;
}

async function tablesInOrder(client: pg.ClientBase, schemas: readonly string[]): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string; needs: string[] }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
            array(SELECT DISTINCT format('%I.%I', fn.nspname, f.relname)
                    FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
                   WHERE k.conrelid = c.oid AND k.contype = 'f' AND f.oid <> c.oid) AS needs
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname = ANY($1) ORDER BY 1`,
    [schemas],
  );
  const ordered: string[] = [];
  const add = (name: string) => {
    if (ordered.includes(name)) return;
    for (const needed of tables.find(table => table.name === name)?.needs ?? []) add(needed);
    ordered.push(name);
  };
  for (const { name } of tables) add(name);
  return ordered;
}
