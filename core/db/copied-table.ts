/**
 * A table that is a copy of an outside system's list. Changes come in as they are; a whole new state is gathered beside
 * the table first and takes its place in one transaction, so that readers see the old state or the new one.
 */
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Database } from './client.ts';
import type { Db } from './job-rows.ts';
import { acquiredRowTable as gathered } from './schema/crm.ts';

export interface Changes {
  /** Rows that were the same already. */
  matched: number;
  created: number;
  updated: number;
  deleted: number;
}

export interface CopiedTable<Row> {
  /** Adds or changes some rows; each is whole. */
  merge(rows: readonly Row[]): Promise<Changes>;
  /** Puts rows aside under the name of the run, again if need be. */
  gather(run: string, rows: readonly Row[]): Promise<void>;
  /** What the system has but we could not read stays as it is here. */
  keep(run: string, ids: readonly number[]): Promise<void>;
  countGathered(run: string): Promise<number>;
  /** What `replace` would do. */
  compare(run: string, readAt: Date): Promise<Changes>;
  /**
   * Makes the gathered rows the table's state. Rows that are not among them are deleted, unless they were changed after
   * the reading began.
   * @param also carried out in the same transaction
   */
  replace(run: string, readAt: Date, also: (db: Db) => Promise<void>): Promise<Changes>;
  /** Rows that were gathered for this run. */
  dropGathered(run: string): Promise<void>;
  /** Those that others, which have ended, left behind. */
  dropStale(run: string): Promise<void>;
}

export interface CopiedTableOptions<Row> {
  table: PgTable;
  /** Those that are copied, under the names that the rows have for them. */
  columns: Record<keyof Row & string, PgColumn>;
  /** Columns that are not copied but made here: what they hold at first. */
  made?: Record<string, SQL>;
  /** Brings what is made from all rows up to date after changes, in their transaction. */
  settle?: (db: Db) => Promise<void>;
}

const Written = z.object({
  created: z.coerce.number(),
  updated: z.coerce.number(),
  given: z.coerce.number(),
});
const Deleted = z.object({ deleted: z.coerce.number() });

export function createCopiedTable<Row extends { id: number }>(
  database: Database,
  { table, columns, made = {}, settle = async () => {} }: CopiedTableOptions<Row>,
): CopiedTable<Row> {
  const names = Object.values<PgColumn>(columns).map(column => column.name);
  const listed = (prefix: string, some = names) =>
    sql.join(
      some.map(name => sql`${sql.raw(prefix)}${sql.identifier(name)}`),
      sql`, `,
    );
  const differs = (one: string, other: string) =>
    sql`(${listed(`${one}.`)}) is distinct from (${listed(`${other}.`)})`;
  const gatheredRows = (run: string) =>
    sql`select given.* from ${gathered}, jsonb_populate_record(null::${table}, ${gathered.row}) as given
      where ${gathered.run} = ${run} and ${gathered.row} <> 'null'`;
  const leftOut = (run: string, readAt: Date) => sql`
    old.modified_at < ${readAt.toISOString()}::timestamptz and not exists (
      select from ${gathered} where ${gathered.run} = ${run} and ${gathered.id} = old.id)`;

  const toJson = (row: Row): string =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries<PgColumn>(columns).map(([word, column]) => [column.name, Object(row)[word]]),
      ),
    );

  async function write(db: Db, given: SQL): Promise<Omit<Changes, 'deleted'>> {
    const { rows } = await db.execute(sql`
      with given as (${given}), written as (
        insert into ${table} as old (${listed('', [...names, ...Object.keys(made)])})
        select ${sql.join([listed('given.'), ...Object.values(made)], sql`, `)} from given
        on conflict (id) do update set (${listed('')}) = row(${listed('excluded.')})
        where ${differs('old', 'excluded')}
        returning (xmax = 0) as created
      )
      select count(*) filter (where created) as created, count(*) filter (where not created) as updated,
        (select count(*) from given) as given
      from written`);
    const counts = Written.parse(rows[0]);
    const { created, updated } = counts;
    return { created, updated, matched: counts.given - created - updated };
  }

  /** Changes to one table wait for each other: what is made from all rows must be made from the latest. */
  const inTurn = <T>(work: (db: Db) => Promise<T>): Promise<T> =>
    database.transaction(async tx => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${getTableName(table)}))`);
      return await work(tx);
    });

  const put = async (run: string, rows: readonly { id: number; text: string }[]): Promise<void> => {
    if (rows.length === 0) return;
    const json = `[${rows.map(({ id, text }) => `{"id":${id},"row":${text}}`).join(',')}]`;
    await database.execute(sql`
      insert into ${gathered} (run, id, row)
      select ${run}, id, coalesce(row, 'null') from jsonb_to_recordset(${json}::jsonb) as given (id integer, row jsonb)
      on conflict (run, id) do update set row = excluded.row`);
  };

  return {
    merge: rows =>
      inTurn(async tx => {
        const json = `[${rows.map(toJson).join(',')}]`;
        const changes = await write(
          tx,
          sql`select * from jsonb_populate_recordset(null::${table}, ${json}::jsonb)`,
        );
        await settle(tx);
        return { ...changes, deleted: 0 };
      }),

    gather: (run, rows) =>
      put(
        run,
        rows.map(row => ({ id: row.id, text: toJson(row) })),
      ),

    keep: (run, ids) =>
      put(
        run,
        ids.map(id => ({ id, text: 'null' })),
      ),

    countGathered: run => database.$count(gathered, eq(gathered.run, run)),

    async compare(run, readAt) {
      const { rows } = await database.execute(sql`
        with given as (${gatheredRows(run)})
        select count(*) as given, count(*) filter (where old.id is null) as created,
          count(*) filter (where old.id is not null and ${differs('old', 'given')}) as updated
        from given left join ${table} as old on old.id = given.id`);
      const { given, created, updated } = Written.parse(rows[0]);
      const counted = await database.execute(
        sql`select count(*) as deleted from ${table} as old where ${leftOut(run, readAt)}`,
      );
      return { created, updated, matched: given - created - updated, ...Deleted.parse(counted.rows[0]) };
    },

    replace: (run, readAt, also) =>
      inTurn(async tx => {
        const changes = await write(tx, gatheredRows(run));
        const { rowCount } = await tx.execute(sql`delete from ${table} as old where ${leftOut(run, readAt)}`);
        await settle(tx);
        await tx.execute(sql`delete from ${gathered} where run = ${run}`);
        await also(tx);
        return { ...changes, deleted: rowCount ?? 0 };
      }),

    async dropGathered(run) {
      await database.execute(sql`delete from ${gathered} where run = ${run}`);
    },

    async dropStale(run) {
      await database.execute(sql`
        delete from ${gathered} where ${gathered.run} <> ${run} and not exists (
          select from job where job.id = ${gathered.run}
            and job.state in ('queued', 'scheduled', 'running', 'held'))`);
    },
  };
}
