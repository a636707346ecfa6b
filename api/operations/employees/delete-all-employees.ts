import { z } from 'zod';
import { ServiceError } from '../../../core/runtime/errors.ts';
import job from '../../../workers/employee-resync/contract.ts';
import { defineJobOperation } from '../../jobs/job-operation.ts';
import { dryRunField } from './employee-sync.ts';

const word = 'delete-all-employees';
const confirm = z.string('must be a text').max(100, 'must have at most 100 characters').optional();

interface Confirmed {
  body: { confirm?: string | undefined };
  query: { confirm?: string | undefined };
}

export default defineJobOperation({
  summary:
    'Delete all employees from the employee records, and make the local list anew of what the identity directory and the CRM know. A snapshot is kept, from which the records can be put back.',
  id: 'employees.deleteAllEmployees',
  method: 'DELETE',
  path: '/apps/employees/v1/employees',
  scope: 'employees:sync',
  request: {
    query: z.object({
      confirm: confirm.describe(
        'Instead of the one in the body, which some clients do not send with DELETE.',
      ),
    }),
    body: z
      .object({ confirm: confirm.describe(`Must be \`${word}\`.`), dryRun: dryRunField })
      .prefault({})
      .meta({ examples: [{ confirm: word }] }),
  },
  job,
  async accept(input) {
    refuseUnconfirmed(input);
    return { payload: { mode: 'delete-all' as const, dryRun: input.body.dryRun } };
  },
  async validate(input) {
    refuseUnconfirmed(input);
    return [];
  },
});

/** @throws ServiceError invalid-input */
function refuseUnconfirmed({ body, query }: Confirmed): void {
  const said = [body.confirm, query.confirm].filter(text => text !== undefined);
  if (said.length > 0 && said.every(text => text === word)) return;
  throw new ServiceError('invalid-input', 'Deleting all employees has to be confirmed.', {
    faults: [
      {
        pointer: '/confirm',
        detail: `must be ${word}`,
        ...(body.confirm === undefined && query.confirm !== undefined && { in: 'query' as const }),
      },
    ],
  });
}
