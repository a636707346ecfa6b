import { z } from 'zod';
import { DryRun } from '../../../core/sync/report.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';

export default defineJobOperation({
  summary:
    'Start a job that updates all employees from the identity directory and the CRM, in the employee records and the local list. Each field comes from the system that owns it.',
  id: 'employees.resyncEmployees',
  route: 'POST /apps/employees/v1/employees/sync',
  scope: 'employees:sync',
  request: { body: z.object({ dryRun: DryRun }) },
  job,
  accept: async ({ body: { dryRun } }) => ({ payload: { mode: 'resync' as const, dryRun } }),
});
