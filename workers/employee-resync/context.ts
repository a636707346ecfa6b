/** What a run of the employee resync works with, and what it returns. */
import { z } from 'zod';
import type { EmployeeView } from '../../core/domain/employees/employee-view.ts';
import { createEmployeeViews } from '../../core/domain/employees/repository.ts';
import { createEmployeeSnapshots } from '../../core/domain/employees/snapshots.ts';
import crmSystem from '../../core/integrations/crm/system.ts';
import directorySystem from '../../core/integrations/directory/system.ts';
import employeeRecordsSystem from '../../core/integrations/employee-records/system.ts';
import type { JobContext } from '../../core/jobs/handler.ts';
import { wholeNumber } from '../../core/runtime/config.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { startReport } from '../../core/sync/report.ts';
import { createSyncStates } from '../../core/sync/states.ts';
import type { WorkerServices } from '../services.ts';
import type { ResyncTargets } from './contract.ts';
import { EmployeePlan } from './plan.ts';

export const EmployeeResyncConfig = z.object({
  EMPLOYEE_SNAPSHOT_DAYS: wholeNumber(1, 3_650)
    .default(90)
    .describe('Days that a snapshot of the employee records is kept; it can be restored until then.'),
  EMPLOYEE_STATUS_CHANGE_LIMIT: wholeNumber(0, 100_000)
    .default(5)
    .describe('A resync that changes the status of more employees than this is held until a person releases it.'),
});
export type EmployeeResyncConfig = z.infer<typeof EmployeeResyncConfig>;

/** Stored as JSON with a held run, which continues from it when released. */
export const HeldPlan = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('resync'), plan: EmployeePlan }),
  z.object({ mode: z.literal('delete-all'), records: z.int().describe('To be deleted.') }),
  z.object({ mode: z.literal('restore'), snapshotId: z.uuid() }),
]);
export type HeldPlan = z.infer<typeof HeldPlan>;

export interface Outcome {
  /** If not empty, nothing was changed. */
  heldBecause: string[];
  /** For a release; absent if nothing is held. */
  plan?: HeldPlan;
  /** Employees in the local list afterwards. */
  listed: number;
  snapshotId: string | null;
  /** The targets of a resync. */
  targets?: ResyncTargets;
  /** Before the run. */
  rows: { records: number; list?: number };
}

export type ResyncContext = ReturnType<typeof createResyncContext>;

export const createResyncContext = (
  { database, systems, effects }: WorkerServices,
  { EMPLOYEE_SNAPSHOT_DAYS: snapshotDays, EMPLOYEE_STATUS_CHANGE_LIMIT: statusChangeLimit }: EmployeeResyncConfig,
  job: JobContext,
  dryRun: boolean,
) => ({
  records: employeeRecordsSystem.client(systems),
  directory: directorySystem.client(systems),
  crm: crmSystem.client(systems),
  employees: createEmployeeViews(database),
  snapshots: createEmployeeSnapshots(database),
  states: createSyncStates(database),
  effects,
  snapshotDays,
  statusChangeLimit,
  job,
  signal: job.signal,
  report: startReport({ dryRun }),
});

/** For people; '' when no system has a name. */
export const fullName = (person?: Pick<EmployeeView, 'firstName' | 'lastName'>): string =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ');

/** Runs up to four calls of the employee records at once. */
export const forEachRecord = <T>(
  items: readonly T[],
  { signal }: { signal: AbortSignal },
  work: (item: T) => Promise<void>,
  onProgress?: (done: number) => void,
): Promise<unknown> => mapConcurrent(items, { limit: 4, signal, onProgress }, work);
