import { z } from 'zod';
import { createEmployeeViews } from '../../../core/domain/employees/repository.ts';
import { EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import { defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import {
  asOfEmployees,
  asOfField,
  EmployeeResource,
  employeeResource,
  personal,
} from './employee-resource.ts';

const NumberCursor = z.object({ after: z.string().max(200) });
const word = z.string().max(320, 'must have at most 320 characters').optional();

export default defineOperation({
  summary: 'All employees, by number, from the local list.',
  id: 'employees.listEmployees',
  method: 'GET',
  path: '/apps/employees/v1/employees',
  scope: 'employees:read',
  request: {
    query: z.object({
      status: z
        .enum(EmployeeStatus.options, { error: `must be one of ${EmployeeStatus.options.join(', ')}` })
        .optional(),
      department: word.describe('Exactly.'),
      email: word.describe('The whole of it, whatever its case.'),
      reportsTo: word.describe('The number of whom they report to.'),
      ...ListQuery.shape,
    }),
  },
  answers: {
    200: {
      description: 'A page of employees.',
      schema: z.object({
        items: z.array(EmployeeResource),
        asOf: asOfField,
        nextCursor: z.string().nullable(),
      }),
    },
  },
  async handle({ query: { cursor, limit, ...filter } }, { services, request }) {
    const after = cursor === undefined ? '' : decodeCursor(cursor, NumberCursor).after;
    const [found, asOf] = await Promise.all([
      createEmployeeViews(services.database).list(filter, { after, limit: limit + 1 }),
      asOfEmployees(services),
    ]);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = found.length > limit && last ? encodeCursor({ after: last.number }) : null;
    return {
      status: 200,
      headers: { ...nextLink(request, nextCursor), ...personal },
      body: { items: items.map(employeeResource), asOf, nextCursor },
    };
  },
});
