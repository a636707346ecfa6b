/** The local list of employees, with no more of a person than the API shows, and snapshots of the whole records. */
import { date, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema/time.ts';
import type { ListedEmployee } from './employee.ts';

export const employeeTable = pgTable(
  'employee',
  {
    /** The employee number; where there is none, or others have it too, the record's own name. */
    number: text('number').primaryKey(),
    /** The record's own name in the employee records; null: known from the identity directory only. */
    recordName: text('record_name'),
    employeeNumber: text('employee_number'),
    firstName: text('first_name').notNull(),
    lastName: text('last_name'),
    email: text('email'),
    phone: text('phone'),
    department: text('department'),
    designation: text('designation'),
    status: text('status').$type<ListedEmployee['status']>().notNull(),
    dateOfJoining: date('date_of_joining', { mode: 'string' }),
    /** The `number` of whom they report to. */
    reportsTo: text('reports_to'),
    crmId: integer('crm_id'),
    directoryId: text('directory_id'),
    /** When somebody created or changed this one; null: as the last resync made it. */
    changedAt: time('changed_at'),
  },
  table => [
    index('employee_record').on(table.recordName),
    index('employee_email').on(table.email),
    index('employee_reports_to').on(table.reportsTo),
  ],
);

/** Who was deleted one by one: a resync that read the records before does not bring them back. */
export const deletedEmployeeTable = pgTable('deleted_employee', {
  recordName: text('record_name').primaryKey(),
  deletedAt: time('deleted_at').notNull().defaultNow(),
});

export const employeeSnapshotTable = pgTable('employee_snapshot', {
  id: uuid('id').primaryKey(),
  /** The job that deletes the records. */
  jobId: text('job_id').notNull().unique(),
  createdAt: time('created_at').notNull().defaultNow(),
  /** Null while it is taken: nothing is deleted before it is whole. */
  completedAt: time('completed_at'),
  expiresAt: time('expires_at').notNull(),
});

/** A record as it was, whole, in the words of the system that keeps it. */
export const employeeSnapshotRecordTable = pgTable(
  'employee_snapshot_record',
  {
    snapshotId: uuid('snapshot_id')
      .notNull()
      .references(() => employeeSnapshotTable.id, { onDelete: 'cascade' }),
    recordName: text('record_name').notNull(),
    /** When the records say that it was changed last. */
    modifiedAt: text('modified_at').notNull(),
    document: jsonb('document').$type<Record<string, unknown>>().notNull(),
  },
  table => [primaryKey({ columns: [table.snapshotId, table.recordName] })],
);
