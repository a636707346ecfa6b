import { z } from 'zod';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { dryRunField } from './employee-sync.ts';

export default defineJobOperation({
  summary:
    'Update all employees from the identity directory and the CRM: each field by the system that owns it, in the employee records and in the local list.',
  id: 'employees.resyncEmployees',
  method: 'POST',
  path: '/apps/employees/v1/employees/sync',
  scope: 'employees:sync',
  request: { body: z.object({ dryRun: dryRunField }).prefault({}) },
  job,
  accept: async ({ body: { dryRun } }) => ({ payload: { mode: 'resync' as const, dryRun } }),
});
