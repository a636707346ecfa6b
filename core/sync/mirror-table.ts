/**
 * A table that is a copy of an outside system's list. Changes come in as they are; a whole new state is gathered beside
 * the table first and takes its place in one transaction, so that readers see the old state or the new one.
 */
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Database } from '../postgres/client.ts';
import type { Db } from '../postgres/session.ts';
import { ServiceError } from '../runtime/errors.ts';
import { acquiredRowTable as gathered } from './schema.ts';

export interface Changes {
  /** Rows that were the same already. */
  matched: number;
  created: number;
  updated: number;
  deleted: number;
}

/** The last step of the transaction that brings the changes about: what fails in it undoes them. */
export type LastStep = (db: Db, changes: Changes) => Promise<void>;

/** What a job has gathered of a whole new state. */
export interface Gathered {
  jobId: string;
  /** Rows that were read, those among them that could not be understood included. */
  read: number;
  /** When the reading began. */
  readAt: Date;
}

export interface CopiedTable<Row> {
  /** Adds or changes some rows; each is whole. */
  merge(rows: readonly Row[], lastStep?: LastStep): Promise<void>;
  /**
   * Puts rows aside under the job's name, again if need be.
   * @param unreadable what the system has but we could not read: it stays as it is here
   */
  gather(
    jobId: string,
    page: { rows: readonly Row[]; unreadable: readonly { id: number }[] },
    lastStep: (db: Db) => Promise<void>,
  ): Promise<void>;
  countGathered(jobId: string): Promise<number>;
  /** What `replace` would do. */
  compare(gathered: Gathered): Promise<Changes>;
  /**
   * Makes the gathered rows the table's state. Rows that are not among them are deleted, unless they were changed after
   * the reading began.
   * @throws ServiceError conflict when some of what was read is not there any more; nothing is changed then
   */
  replace(gathered: Gathered, lastStep: LastStep): Promise<Changes>;
  dropGathered(jobId: string): Promise<void>;
  /** Drops what other jobs, which have ended, left behind. */
  dropStale(jobId: string): Promise<void>;
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
  const gatheredRows = (jobId: string) =>
    sql`select given.* from ${gathered}, jsonb_populate_record(null::${table}, ${gathered.row}) as given
      where ${gathered.run} = ${jobId} and ${gathered.row} <> 'null'`;
  const leftOut = ({ jobId, readAt }: Gathered) => sql`
    old.modified_at < ${readAt.toISOString()}::timestamptz and not exists (
      select from ${gathered} where ${gathered.run} = ${jobId} and ${gathered.id} = old.id)`;
  const countGathered = (db: Pick<Database, '$count'>, jobId: string): Promise<number> =>
    db.$count(gathered, eq(gathered.run, jobId));

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
  const inTurn = <T>(work: (db: Db & Pick<Database, '$count'>) => Promise<T>): Promise<T> =>
    database.transaction(async tx => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${getTableName(table)}))`);
      return await work(tx);
    });

  const put = async (db: Db, jobId: string, rows: readonly { id: number; text: string }[]): Promise<void> => {
    if (rows.length === 0) return;
    const json = `[${rows.map(({ id, text }) => `{"id":${id},"row":${text}}`).join(',')}]`;
    await db.execute(sql`
      insert into ${gathered} (run, id, row)
      select ${jobId}, id, coalesce(row, 'null') from jsonb_to_recordset(${json}::jsonb) as given (id integer, row jsonb)
      on conflict (run, id) do update set row = excluded.row`);
  };

  return {
    merge: (rows, lastStep) =>
      inTurn(async tx => {
        const json = `[${rows.map(toJson).join(',')}]`;
        const changes = await write(
          tx,
          sql`select * from jsonb_populate_recordset(null::${table}, ${json}::jsonb)`,
        );
        await settle(tx);
        await lastStep?.(tx, { ...changes, deleted: 0 });
      }),

    gather: (jobId, { rows, unreadable }, lastStep) =>
      database.transaction(async tx => {
        const read = rows.map(row => ({ id: row.id, text: toJson(row) }));
        await put(tx, jobId, [...read, ...unreadable.map(({ id }) => ({ id, text: 'null' }))]);
        await lastStep(tx);
      }),

    countGathered: jobId => countGathered(database, jobId),

    async compare(reading) {
      const { rows } = await database.execute(sql`
        with given as (${gatheredRows(reading.jobId)})
        select count(*) as given, count(*) filter (where old.id is null) as created,
          count(*) filter (where old.id is not null and ${differs('old', 'given')}) as updated
        from given left join ${table} as old on old.id = given.id`);
      const { given, created, updated } = Written.parse(rows[0]);
      const counted = await database.execute(
        sql`select count(*) as deleted from ${table} as old where ${leftOut(reading)}`,
      );
      return { created, updated, matched: given - created - updated, ...Deleted.parse(counted.rows[0]) };
    },

    replace: (reading, lastStep) =>
      inTurn(async tx => {
        // Rows that went missing here would be taken for deleted ones.
        if ((await countGathered(tx, reading.jobId)) < reading.read) throw notWhole();
        const written = await write(tx, gatheredRows(reading.jobId));
        const { rowCount } = await tx.execute(sql`delete from ${table} as old where ${leftOut(reading)}`);
        const changes = { ...written, deleted: rowCount ?? 0 };
        await settle(tx);
        await tx.execute(sql`delete from ${gathered} where run = ${reading.jobId}`);
        await lastStep(tx, changes);
        return changes;
      }),

    async dropGathered(jobId) {
      await database.execute(sql`delete from ${gathered} where run = ${jobId}`);
    },

    async dropStale(jobId) {
      await database.execute(sql`
        delete from ${gathered} where ${gathered.run} <> ${jobId} and not exists (
          select from job where job.id = ${gathered.run}
            and job.state in ('queued', 'scheduled', 'running', 'held'))`);
    },
  };
}

const notWhole = (): ServiceError =>
  new ServiceError(
    'conflict',
    'What this job has read is not all there any more; nothing was changed. A new job reads it anew.',
  );
