/** The local list of employees: a resync replaces all of it, API operations change single employees. */
import { and, asc, eq, getTableColumns, gt, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database, Db } from '../../postgres/client.ts';
import type { EmployeeView } from './employee-view.ts';
import { deletedEmployeeTable, employeeTable as table } from './schema.ts';

/** Key of the list's sync state. */
export const employeesStateKind = 'employees';

type EmployeeFilter = {
  [Name in 'status' | 'department' | 'email' | 'reportsTo']?: NonNullable<EmployeeView[Name]> | undefined;
};

export type Employees = ReturnType<typeof createEmployeeViews>;

const { changedAt, ...listed } = getTableColumns(table);
const columnNames: readonly [string, string][] = Object.entries(listed).map(([member, { name }]) => [member, name]);
const Now = z.array(z.object({ now: z.coerce.date() })).length(1);

export const createEmployeeViews = (database: Database) => ({
  ...createReads(database),
  ...createWrites(database),
});

function createReads(database: Database) {
  const where = (condition: SQL | undefined): Promise<EmployeeView[]> =>
    database.select(listed).from(table).where(condition).orderBy(asc(table.number));

  return {
    all: (): Promise<EmployeeView[]> => where(undefined),

    /** Ordered by number; `email` ignores case, `reportsTo` is the manager's number. */
    list: (
      { status, department, email, reportsTo }: EmployeeFilter,
      { after, limit }: { after: string; limit: number },
    ): Promise<EmployeeView[]> =>
      database
        .select(listed)
        .from(table)
        .where(
          and(
            gt(table.number, after),
            status && eq(table.status, status),
            department === undefined ? undefined : eq(table.department, department),
            email === undefined ? undefined : eq(table.email, email.toLowerCase()),
            reportsTo === undefined ? undefined : eq(table.reportsTo, reportsTo),
          ),
        )
        .orderBy(asc(table.number))
        .limit(limit),

    /** @param number the employee's number, or the record name */
    async find(number: string): Promise<EmployeeView | undefined> {
      const found = await where(or(eq(table.number, number), eq(table.recordName, number)));
      return found.find(employee => employee.number === number) ?? found[0];
    },

    /** True if `number` reports to `other`, directly or indirectly, or is the same employee. */
    async isBelow(number: string, other: string): Promise<boolean> {
      const { rows } = await database.execute(sql`
        with recursive line (number, reports_to) as (
          select number, reports_to from ${table} where number = ${number}
          union select above.number, above.reports_to from ${table} as above join line on above.number = line.reports_to
        )
        select from line where number = ${other}`);
      return rows.length > 0;
    },

    /** The database's clock, which also stamps the changes. */
    async now(): Promise<Date> {
      const { rows } = await database.execute(sql`select date_trunc('milliseconds', clock_timestamp()) as now`);
      return Now.parse(rows)[0]?.now ?? new Date();
    },
  };
}

function createWrites(database: Database) {
  return {
    /** Stores a created or changed employee, also if the number has changed. */
    put: (employee: EmployeeView): Promise<void> =>
      database.transaction(async tx => {
        const { recordName } = employee;
        if (recordName !== null) {
          await tx.delete(table).where(eq(table.recordName, recordName));
          await tx.delete(deletedEmployeeTable).where(eq(deletedEmployeeTable.recordName, recordName));
        }
        const row = { ...employee, changedAt: sql`clock_timestamp()` };
        await tx.insert(table).values(row).onConflictDoUpdate({ target: table.number, set: row });
      }),

    /** @param recordName null if only the identity directory has the employee */
    remove: (number: string, recordName: string | null): Promise<void> =>
      database.transaction(async tx => {
        await tx.delete(table).where(eq(table.number, number));
        if (recordName === null) return;
        const row = { recordName, deletedAt: sql`clock_timestamp()` };
        await tx
          .insert(deletedEmployeeTable)
          .values(row)
          .onConflictDoUpdate({ target: deletedEmployeeTable.recordName, set: row });
      }),

    /**
     * Replaces the list in one transaction, except employees that were changed or deleted since `readAt`.
     * @param lastStep runs in the same transaction
     */
    replace: (employees: readonly EmployeeView[], readAt: Date, lastStep: (db: Db) => Promise<void>): Promise<void> =>
      database.transaction(async tx => {
        // Readers continue with the old list; writers wait.
        await tx.execute(sql`lock table ${table}, ${deletedEmployeeTable} in share row exclusive mode`);
        const since = sql`${readAt.toISOString()}::timestamptz`;
        await tx.execute(sql`delete from ${table} where changed_at is null or changed_at < ${since}`);
        await tx.execute(sql`delete from ${deletedEmployeeTable} where deleted_at < ${since}`);
        await tx.execute(sql`
          insert into ${table}
          select given.* from jsonb_populate_recordset(null::${table}, ${asRows(employees)}::jsonb) as given
          where not exists (
              select from ${table} as newer
              where newer.number = given.number or newer.record_name = given.record_name)
            and not exists (
              select from ${deletedEmployeeTable} as deleted where deleted.record_name = given.record_name)`);
        await lastStep(tx);
      }),
  };
}

const asRows = (employees: readonly EmployeeView[]): string =>
  JSON.stringify(
    employees.map(employee =>
      Object.fromEntries(columnNames.map(([member, name]) => [name, Object(employee)[member]])),
    ),
  );
