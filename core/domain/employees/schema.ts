/** Tables: the local list of employees (only the fields that the API returns), and snapshots of the full records. */
import { date, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';
import type { EmployeeView } from './employee-view.ts';

/** The columns are described at `EmployeeView`. */
export const employeeTable = pgTable(
  'employee',
  {
    number: text('number').primaryKey(),
    recordName: text('record_name'),
    employeeNumber: text('employee_number'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name'),
    email: text('email'),
    phone: text('phone'),
    department: text('department'),
    designation: text('designation'),
    status: text('status').$type<EmployeeView['status']>().notNull(),
    dateOfJoining: date('date_of_joining', { mode: 'string' }),
    reportsTo: text('reports_to'),
    crmId: integer('crm_id'),
    directoryId: text('directory_id'),
    /** Time of the last change by an API operation; null: unchanged since the last resync. */
    changedAt: time('changed_at'),
  },
  table => [
    index('employee_record').on(table.recordName),
    index('employee_email').on(table.email),
    index('employee_reports_to').on(table.reportsTo),
  ],
);

/** Employees deleted by an API operation: a resync that read the records earlier does not add them again. */
export const deletedEmployeeTable = pgTable('deleted_employee', {
  recordName: text('record_name').primaryKey(),
  deletedAt: time('deleted_at').notNull().defaultNow(),
});

export const employeeSnapshotTable = pgTable('employee_snapshot', {
  id: uuid('id').primaryKey(),
  /** The job that deletes the records. */
  jobId: text('job_id').notNull().unique(),
  createdAt: time('created_at').notNull().defaultNow(),
  /** Null while the snapshot is incomplete: no record is deleted before it is complete. */
  completedAt: time('completed_at'),
  expiresAt: time('expires_at').notNull(),
});

/** A full record, as its system stored it. */
export const employeeSnapshotRecordTable = pgTable(
  'employee_snapshot_record',
  {
    snapshotId: uuid('snapshot_id')
      .notNull()
      .references(() => employeeSnapshotTable.id, { onDelete: 'cascade' }),
    recordName: text('record_name').notNull(),
    /** The record's modification time in its system. */
    modifiedAt: text('modified_at').notNull(),
    document: jsonb('document').$type<Record<string, unknown>>().notNull(),
  },
  table => [primaryKey({ columns: [table.snapshotId, table.recordName] })],
);
