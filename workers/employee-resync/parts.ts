/** What a run works with. */
import { createEmployeeSnapshots, type EmployeeSnapshots } from '../../core/db/employee-snapshots.ts';
import { createEmployees, type Employees } from '../../core/db/employees.ts';
import { createSyncStates, type SyncStates } from '../../core/db/sync-states.ts';
import type { Effects } from '../../core/effects.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { type ReportWriter, startReport } from '../../core/sync-report.ts';
import type { Crm } from '../../core/systems/crm/client.ts';
import crmSystem from '../../core/systems/crm/system.ts';
import type { Directory } from '../../core/systems/directory/client.ts';
import directorySystem from '../../core/systems/directory/system.ts';
import type { EmployeeRecords } from '../../core/systems/employee-records/client.ts';
import employeeRecordsSystem from '../../core/systems/employee-records/system.ts';
import type { WorkerServices } from '../services.ts';
import type { EmployeeResyncConfig } from './config.ts';

export interface ResyncParts {
  records: EmployeeRecords;
  directory: Directory;
  crm: Crm;
  employees: Employees;
  snapshots: EmployeeSnapshots;
  states: SyncStates;
  effects: Effects;
  keepSnapshotDays: number;
  context: JobContext;
  signal: AbortSignal;
  report: ReportWriter;
}

export const openParts = (
  { database, systems, effects }: WorkerServices,
  { EMPLOYEE_SNAPSHOT_DAYS: keepSnapshotDays }: EmployeeResyncConfig,
  context: JobContext,
  dryRun: boolean,
): ResyncParts => ({
  records: employeeRecordsSystem.at(systems),
  directory: directorySystem.at(systems),
  crm: crmSystem.at(systems),
  employees: createEmployees(database),
  snapshots: createEmployeeSnapshots(database),
  states: createSyncStates(database),
  effects,
  keepSnapshotDays,
  context,
  signal: context.signal,
  report: startReport({ dryRun }),
});
