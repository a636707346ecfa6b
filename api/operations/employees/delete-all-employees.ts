import { z } from 'zod';
import { OnLinked } from '../../../core/domain/employees/employee-view.ts';
import { invalidInput } from '../../../core/runtime/errors.ts';
import { DryRun } from '../../../core/sync/report.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { relievingDateField } from './employee-input.ts';

const confirmation = 'delete-all-employees';

const confirm = z.string().max(100).optional();

const onLinked = OnLinked.optional().describe(
  'Employees to whom other documents in the records link cannot be deleted: `refuse` (default) reports them as failed, `set-left` sets the status Left.',
);

export default defineJobOperation({
  summary:
    'Start a job that deletes all employee records and rebuilds the local list from the identity directory and the CRM. It takes a snapshot first, from which the records can be restored. It fails if the records refuse every deletion.',
  id: 'employees.deleteAllEmployees',
  route: 'DELETE /apps/employees/v1/employees',
  scope: 'employees:sync',
  request: {
    query: z.object({
      confirm: confirm.describe('For clients that send no body with DELETE; otherwise in the body.'),
      onLinked,
    }),
    body: z
      .object({
        confirm: confirm.describe(`Must be \`${confirmation}\`.`),
        dryRun: DryRun,
        onLinked,
        relievingDate: relievingDateField,
      })
      .meta({ examples: [{ confirm: confirmation }] }),
  },
  job,
  async accept(input) {
    requireConfirmation(input);
    const { dryRun, onLinked = input.query.onLinked, relievingDate } = input.body;
    return { payload: { mode: 'delete-all' as const, dryRun, onLinked, relievingDate } };
  },
  async validate(input) {
    requireConfirmation(input);
    return [];
  },
});

/** @throws ServiceError invalid-input */
function requireConfirmation({
  body,
  query,
}: {
  body: { confirm?: string | undefined };
  query: { confirm?: string | undefined };
}): void {
  const given = [body.confirm, query.confirm].filter(text => text !== undefined);
  if (given.length > 0 && given.every(text => text === confirmation)) return;
  throw invalidInput(
    [
      {
        pointer: '/confirm',
        detail: `must be ${confirmation}`,
        ...(body.confirm === undefined && query.confirm !== undefined && { in: 'query' as const }),
      },
    ],
    'Confirm the deletion of all employees.',
  );
}
