/** What a run works with. */

import { createEmployees, type Employees } from '../../core/domain/employees/rows.ts';
import { createEmployeeSnapshots, type EmployeeSnapshots } from '../../core/domain/employees/snapshots.ts';
import type { Effects } from '../../core/effects/ledger.ts';
import type { Crm } from '../../core/integrations/crm/client.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import type { Directory } from '../../core/integrations/directory/client.ts';
import directorySystem from '../../core/integrations/directory/system.ts';
import type { EmployeeRecords } from '../../core/integrations/employee-records/client.ts';
import employeeRecordsSystem from '../../core/integrations/employee-records/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { type ReportWriter, startReport } from '../../core/sync/report.ts';
import { createSyncStates, type SyncStates } from '../../core/sync/states.ts';
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
