/**
 * A table that mirrors a list of an outside system. Changed rows are merged as they come; a complete new state is staged
 * beside the table and replaces it in one transaction, so that readers see either the old state or the new one.
 */
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import type { Database, Db } from '../postgres/client.ts';
import { ServiceError } from '../runtime/errors.ts';
import { stagedRowTable as staged } from './schema.ts';

export interface Changes {
  /** Rows that needed no change. */
  matched: number;
  created: number;
  updated: number;
  deleted: number;
}

/** Runs last in the transaction of the changes; its failure rolls them back. */
type LastStep = (db: Db, changes: Changes) => Promise<void>;

/** A complete read whose rows are staged. */
export interface StagedRead {
  jobId: string;
  /** Rows read, including those that could not be parsed. */
  read: number;
  /** When the read started. */
  readAt: Date;
}

export type MirrorTable<Row extends { id: number }> = ReturnType<typeof createMirrorTable<Row>>;

interface MirrorTableOptions<Row> {
  table: PgTable;
  /** The mirrored columns, by the member names of the rows. */
  columns: Record<keyof Row & string, PgColumn>;
  /** SQL text that names a row for a person. @param row alias of the row */
  nameOf: (row: string) => SQL;
  /** Initial values of columns that are computed here, not mirrored. */
  computed?: Record<string, SQL>;
  /** Recomputes these columns after changes, in the same transaction. @param ids the written rows; undefined: any row */
  recompute?: (db: Db, ids?: readonly number[]) => Promise<void>;
}

const UpsertCounts = z.object({
  created: z.coerce.number(),
  updated: z.coerce.number(),
  given: z.coerce.number(),
});
const CountedOutcome = z.object({ outcome: z.enum(['matched', 'created', 'updated', 'deleted']), rows: z.int() });
const ChangedRow = z.object({ key: z.string(), name: z.string(), outcome: z.enum(['created', 'updated', 'deleted']) });

export function createMirrorTable<Row extends { id: number }>(database: Database, options: MirrorTableOptions<Row>) {
  const statements = createStatements(options);
  return { ...createStaging(database, statements), ...createChanges(database, options, statements) };
}

function createStaging<Row extends { id: number }>(database: Database, { toJson }: Statements<Row>) {
  return {
    /**
     * Stages rows under the job's id; may be repeated.
     * @param unreadable rows that could not be parsed: the mirror keeps its version of them
     */
    stage: (
      jobId: string,
      { rows, unreadable }: { rows: readonly Row[]; unreadable: readonly { id: number }[] },
      lastStep: (db: Db) => Promise<void>,
    ): Promise<void> =>
      database.transaction(async tx => {
        const read = rows.map(row => ({ id: row.id, json: toJson(row) }));
        await stageRows(tx, jobId, [...read, ...unreadable.map(({ id }) => ({ id, json: 'null' }))]);
        await lastStep(tx);
      }),

    countStaged: (jobId: string): Promise<number> => countStaged(database, jobId),

    async dropStaged(jobId: string): Promise<void> {
      await database.execute(sql`delete from ${staged} where run = ${jobId}`);
    },

    /** Drops the staged rows of other jobs that have ended. */
    async dropAbandoned(jobId: string): Promise<void> {
      await database.execute(sql`
        delete from ${staged} where ${staged.run} <> ${jobId} and not exists (
          select from job where job.id = ${staged.run}
            and job.state in ('queued', 'scheduled', 'running', 'held'))`);
    },
  };
}

function createChanges<Row extends { id: number }>(
  database: Database,
  { table, recompute = async () => {} }: MirrorTableOptions<Row>,
  { upsert, toJson, fromJson, stagedRows, comparison }: Statements<Row>,
) {
  /** Serializes changes to the table: columns computed from all rows need the latest rows. */
  const withTableLock = <T>(work: (db: Db & Pick<Database, '$count'>) => Promise<T>): Promise<T> =>
    database.transaction(async tx => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${getTableName(table)}))`);
      return await work(tx);
    });

  return {
    /** Inserts or updates complete rows. */
    merge: (rows: readonly Row[], lastStep?: LastStep): Promise<void> =>
      withTableLock(async tx => {
        const changes = await upsert(tx, fromJson(`[${rows.map(toJson).join(',')}]`));
        await recompute(
          tx,
          rows.map(({ id }) => id),
        );
        await lastStep?.(tx, { ...changes, deleted: 0 });
      }),

    /** The changes that `replace` would make. */
    async compare(read: StagedRead): Promise<Changes> {
      const counted = await database.execute(
        sql`select outcome, count(*)::int as rows from (${comparison(read)}) as compared group by outcome`,
      );
      const counts = z.array(CountedOutcome).parse(counted.rows);
      const countOf = (outcome: keyof Changes) => counts.find(found => found.outcome === outcome)?.rows ?? 0;
      const [matched, created] = [countOf('matched'), countOf('created')];
      return { matched, created, updated: countOf('updated'), deleted: countOf('deleted') };
    },

    /** The rows that `replace` would change, with their names. */
    async changedRows(read: StagedRead) {
      const { rows } = await database.execute(sql`
        select id::text as key, name, outcome from (${comparison(read)}) as compared
        where outcome <> 'matched' order by id`);
      return z.array(ChangedRow).parse(rows);
    },

    /**
     * Makes the staged rows the table's state. Deletes rows that are not staged, unless they changed after the read
     * started.
     * @throws ServiceError conflict if staged rows are missing; nothing is changed then
     */
    replace: (read: StagedRead, lastStep: LastStep): Promise<Changes> =>
      withTableLock(async tx => {
        // Missing staged rows would be taken for deleted ones.
        if ((await countStaged(tx, read.jobId)) < read.read) throw stagedRowsMissing();
        const written = await upsert(tx, stagedRows(read.jobId));
        const { rowCount } = await tx.execute(sql`delete from ${table} as old where ${isVanished(read)}`);
        const changes = { ...written, deleted: rowCount ?? 0 };
        await recompute(tx);
        await tx.execute(sql`delete from ${staged} where run = ${read.jobId}`);
        await lastStep(tx, changes);
        return changes;
      }),
  };
}

type Statements<Row> = ReturnType<typeof createStatements<Row>>;

function createStatements<Row>({ table, columns, computed = {}, nameOf }: MirrorTableOptions<Row>) {
  const entries = Object.entries<PgColumn>(columns);
  const names = entries.map(([, column]) => column.name);
  const columnList = (prefix: string, some = names) =>
    sql.join(
      some.map(name => sql`${sql.raw(prefix)}${sql.identifier(name)}`),
      sql`, `,
    );
  const differs = (one: string, other: string) =>
    sql`(${columnList(`${one}.`)}) is distinct from (${columnList(`${other}.`)})`;
  const stagedRows = (jobId: string) =>
    sql`select given.* from ${staged}, jsonb_populate_record(null::${table}, ${staged.row}) as given
      where ${staged.run} = ${jobId} and ${staged.row} <> 'null'`;

  return {
    stagedRows,

    toJson: (row: Row): string =>
      JSON.stringify(Object.fromEntries(entries.map(([member, { name }]) => [name, Object(row)[member]]))),

    fromJson: (rows: string): SQL => sql`select * from jsonb_populate_recordset(null::${table}, ${rows}::jsonb)`,

    comparison: (read: StagedRead): SQL => sql`
      select coalesce(old.id, given.id) as id,
        case when old.id is null then ${nameOf('given')} else ${nameOf('old')} end as name,
        case when old.id is null then 'created' when given.id is null then 'deleted'
          when ${differs('old', 'given')} then 'updated' else 'matched' end as outcome
      from (${stagedRows(read.jobId)}) as given full join ${table} as old on old.id = given.id
      where given.id is not null or (${isVanished(read)})`,

    /** @param given a query for complete rows */
    async upsert(db: Db, given: SQL): Promise<Omit<Changes, 'deleted'>> {
      const { rows } = await db.execute(sql`
        with given as (${given}), written as (
          insert into ${table} as old (${columnList('', [...names, ...Object.keys(computed)])})
          select ${sql.join([columnList('given.'), ...Object.values(computed)], sql`, `)} from given
          on conflict (id) do update set (${columnList('')}) = row(${columnList('excluded.')})
          where ${differs('old', 'excluded')}
          returning (xmax = 0) as created
        )
        select count(*) filter (where created) as created, count(*) filter (where not created) as updated,
          (select count(*) from given) as given
        from written`);
      const counts = UpsertCounts.parse(rows[0]);
      const { created, updated } = counts;
      return { created, updated, matched: counts.given - created - updated };
    },
  };
}

/** Rows of `old` that the complete read did not return. */
const isVanished = ({ jobId, readAt }: StagedRead) => sql`
  old.modified_at < ${readAt.toISOString()}::timestamptz and not exists (
    select from ${staged} where ${staged.run} = ${jobId} and ${staged.id} = old.id)`;

const countStaged = (db: Pick<Database, '$count'>, jobId: string): Promise<number> =>
  db.$count(staged, eq(staged.run, jobId));

async function stageRows(db: Db, jobId: string, rows: readonly { id: number; json: string }[]): Promise<void> {
  const all = `[${rows.map(({ id, json }) => `{"id":${id},"row":${json}}`).join(',')}]`;
  await db.execute(sql`
    insert into ${staged} (run, id, row)
    select ${jobId}, id, coalesce(row, 'null') from jsonb_to_recordset(${all}::jsonb) as given (id integer, row jsonb)
    on conflict (run, id) do update set row = excluded.row`);
}

const stagedRowsMissing = (): ServiceError =>
  new ServiceError(
    'conflict',
    'Some rows that this job read are no longer stored; nothing was changed. Start a new job, which reads them again.',
  );
