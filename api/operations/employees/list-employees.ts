import { z } from 'zod';
import { createEmployeeViews, employeesStateKind } from '../../../core/domain/employees/repository.ts';
import { EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { asOfField, EmployeeResource, employeeResource } from './employee-resource.ts';

const NumberCursor = z.object({ after: z.string().max(200) });

const word = z.string().max(320).optional();

export default defineOperation({
  summary: 'List all employees in the local list, sorted by number.',
  id: 'employees.listEmployees',
  route: 'GET /apps/employees/v1/employees',
  scope: 'employees:read',
  request: {
    query: z.object({
      status: z.enum(EmployeeStatus.options).optional().describe('Only employees with this status.'),
      department: word.describe('The exact name.'),
      email: word.describe('The full address; ignores case.'),
      reportsTo: word.describe('The number of the manager.'),
      ...ListQuery.shape,
    }),
  },
  answers: {
    200: {
      description: 'A page of employees.',
      schema: pageSchema(EmployeeResource).extend({ asOf: asOfField }),
    },
  },
  async handle({ query: { cursor, limit, ...filter } }, { services: { database }, request }) {
    const after = cursor === undefined ? '' : decodeCursor(cursor, NumberCursor).after;
    const [found, state] = await Promise.all([
      createEmployeeViews(database).list(filter, { after, limit: limit + 1 }),
      createSyncStates(database).read(employeesStateKind),
    ]);
    const { items, nextCursor } = cutPage(found, limit, last => ({ after: last.number }));
    return {
      status: 200,
      headers: nextLink(request, nextCursor),
      body: { items: items.map(employeeResource), asOf: state?.asOf ?? null, nextCursor },
    };
  },
});
