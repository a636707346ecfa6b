/** The local list of employees: a resync puts a whole new one in its place, people change one at a time. */
import { and, asc, eq, getTableColumns, gt, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../postgres/client.ts';
import type { Db } from '../../postgres/session.ts';
import type { ListedEmployee } from './employee.ts';
import { deletedEmployeeTable, employeeTable as table } from './schema.ts';

/** Under which the state of the list is kept. */
export const employeesStateKind = 'employees';

export interface EmployeeFilter {
  status?: ListedEmployee['status'] | undefined;
  department?: string | undefined;
  /** Whatever its case. */
  email?: string | undefined;
  /** The number of whom they report to. */
  reportsTo?: string | undefined;
}

export type Employees = ReturnType<typeof createEmployees>;

const { changedAt, ...listed } = getTableColumns(table);
const columnNames: readonly [string, string][] = Object.entries(listed).map(([word, { name }]) => [
  word,
  name,
]);
const Now = z.array(z.object({ now: z.coerce.date() })).length(1);

export function createEmployees(database: Database) {
  const where = (condition: SQL | undefined): Promise<ListedEmployee[]> =>
    database.select(listed).from(table).where(condition).orderBy(asc(table.number));

  return {
    all: (): Promise<ListedEmployee[]> => where(undefined),

    /** By number. */
    list: (
      { status, department, email, reportsTo }: EmployeeFilter,
      { after, limit }: { after: string; limit: number },
    ): Promise<ListedEmployee[]> =>
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

    /** By the number, else by the record's own name. */
    async find(number: string): Promise<ListedEmployee | undefined> {
      const found = await where(or(eq(table.number, number), eq(table.recordName, number)));
      return found.find(employee => employee.number === number) ?? found[0];
    },

    /** Whether somebody reports to the other, be it through others; also of one and the same. */
    async isBelow(number: string, other: string): Promise<boolean> {
      const { rows } = await database.execute(sql`
        with recursive line (number, reports_to) as (
          select number, reports_to from ${table} where number = ${number}
          union select above.number, above.reports_to from ${table} as above join line on above.number = line.reports_to
        )
        select from line where number = ${other}`);
      return rows.length > 0;
    },

    /** The database's clock, which changes are stamped with. */
    async now(): Promise<Date> {
      const { rows } = await database.execute(
        sql`select date_trunc('milliseconds', clock_timestamp()) as now`,
      );
      return Now.parse(rows)[0]?.now ?? new Date();
    },

    /** Somebody created or changed the employee; whatever the number was before. */
    put: (employee: ListedEmployee): Promise<void> =>
      database.transaction(async tx => {
        const { recordName } = employee;
        if (recordName !== null) {
          await tx.delete(table).where(eq(table.recordName, recordName));
          await tx.delete(deletedEmployeeTable).where(eq(deletedEmployeeTable.recordName, recordName));
        }
        const row = { ...employee, changedAt: sql`clock_timestamp()` };
        await tx.insert(table).values(row).onConflictDoUpdate({ target: table.number, set: row });
      }),

    /** Somebody deleted the employee. @param recordName null: known from the identity directory only */
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
     * Puts the whole list in place of the old one, in one transaction. What was changed one by one since the reading
     * began stays as it is.
     * @param also carried out in the same transaction
     */
    replace: (
      employees: readonly ListedEmployee[],
      readAt: Date,
      also: (db: Db) => Promise<void>,
    ): Promise<void> =>
      database.transaction(async tx => {
        // Readers go on with the old list; who changes an employee waits.
        await tx.execute(sql`lock table ${table}, ${deletedEmployeeTable} in share row exclusive mode`);
        const since = sql`${readAt.toISOString()}::timestamptz`;
        await tx.execute(sql`delete from ${table} where changed_at is null or changed_at < ${since}`);
        await tx.execute(sql`delete from ${deletedEmployeeTable} where deleted_at < ${since}`);
        await tx.execute(sql`
          insert into ${table}
          select given.* from jsonb_populate_recordset(null::${table}, ${asRows(employees)}::jsonb) as given
          where not exists (
              select from ${table} as kept
              where kept.number = given.number or kept.record_name = given.record_name)
            and not exists (
              select from ${deletedEmployeeTable} as deleted where deleted.record_name = given.record_name)`);
        await also(tx);
      }),
  };
}

const asRows = (employees: readonly ListedEmployee[]): string =>
  JSON.stringify(
    employees.map(employee =>
      Object.fromEntries(columnNames.map(([word, name]) => [name, Object(employee)[word]])),
    ),
  );
