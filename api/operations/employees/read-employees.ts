import { z } from 'zod';
import { createEmployeeViews, employeesStateKind } from '../../../core/domain/employees/repository.ts';
import { EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import type { Database } from '../../../core/postgres/client.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import { defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import {
  EmployeeParams,
  EmployeeResource,
  employeeExample,
  employeeNotFound,
  employeeResource,
} from './employee-resource.ts';

const NumberCursor = z.object({ after: z.string().max(200) });
const word = z.string().max(320).optional();
const asOfField = z.iso
  .datetime()
  .nullable()
  .describe('Start of the last resync, without dry runs; null before the first.');

const list = defineOperation({
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
    const [found, asOf] = await Promise.all([
      createEmployeeViews(database).list(filter, { after, limit: limit + 1 }),
      lastResyncAt(database),
    ]);
    const { items, nextCursor } = cutPage(found, limit, last => ({ after: last.number }));
    return {
      status: 200,
      headers: nextLink(request, nextCursor),
      body: { items: items.map(employeeResource), asOf, nextCursor },
    };
  },
});

const get = defineOperation({
  summary: 'Get an employee from the local list.',
  id: 'employees.getEmployee',
  route: 'GET /apps/employees/v1/employees/{number}',
  scope: 'employees:read',
  request: { params: EmployeeParams },
  answers: {
    200: {
      description: 'The employee.',
      schema: EmployeeResource.extend({ asOf: asOfField }),
      example: { ...employeeExample, asOf: '2026-01-31T02:00:00.000Z' },
    },
  },
  async handle({ params: { number } }, { services: { database } }) {
    const employee = await createEmployeeViews(database).find(number);
    if (!employee) throw employeeNotFound(number);
    const asOf = await lastResyncAt(database);
    return { status: 200, body: { ...employeeResource(employee), asOf } };
  },
});

export default [list, get];

async function lastResyncAt(database: Database): Promise<string | null> {
  return (await createSyncStates(database).read(employeesStateKind))?.asOf.toISOString() ?? null;
}
