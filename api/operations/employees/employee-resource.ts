/** An employee as the API shows them. */
import { z } from 'zod';
import type { EmployeeView } from '../../../core/domain/employees/employee-view.ts';
import { type Employees, employeesStateKind } from '../../../core/domain/employees/repository.ts';
import { EmployeeStatus } from '../../../core/integrations/employee-records/employee.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import type { ApiServices } from '../../services.ts';

const text = z.string().nullable();

export const employeeExample = {
  number: 'MP-1042',
  employeeNumber: 'MP-1042',
  firstName: 'Sara',
  lastName: 'Haddad',
  email: 'sara.haddad@meridianpalm.example',
  phone: '+971501234567',
  department: 'Leasing',
  designation: 'Leasing Consultant',
  status: 'Active',
  dateOfJoining: '2024-03-01',
  reportsTo: 'MP-1007',
  crmId: 42,
  directoryId: '5f2a9c0d1e3b4a5f6c7d8e9f',
  hasRecord: true,
};

export const EmployeeResource = z
  .object({
    number: z
      .string()
      .describe('What the paths take: the employee number; without one of their own, the record’s name.'),
    employeeNumber: text,
    firstName: z.string(),
    lastName: text,
    email: text.describe('Of the company, in lower case.'),
    phone: text.describe('E.164.'),
    department: text,
    designation: text,
    status: EmployeeStatus,
    dateOfJoining: text.describe('A date.'),
    reportsTo: text.describe('The `number` of whom they report to.'),
    crmId: z.int().nullable().describe('Their user in the CRM.'),
    directoryId: text.describe('Their user in the identity directory.'),
    hasRecord: z
      .boolean()
      .describe('False: known from the identity directory only; the employee records have no record.'),
  })
  .meta({
    id: 'Employee',
    examples: [employeeExample],
  });

export const employeeResource = ({
  recordName,
  ...employee
}: EmployeeView): z.infer<typeof EmployeeResource> => ({ ...employee, hasRecord: recordName !== null });

export const EmployeeParams = z.object({
  number: z
    .string()
    .min(1)
    .max(140, 'must have at most 140 characters')
    .describe('The employee number, or the name of the record, such as HR-EMP-00042.')
    .meta({ examples: ['MP-1042'] }),
});

export const asOfField = z.iso
  .datetime()
  .nullable()
  .describe('When the last resync that was carried out began; null before the first.');

export async function asOfEmployees({ database }: Pick<ApiServices, 'database'>): Promise<string | null> {
  return (await createSyncStates(database).read(employeesStateKind))?.asOf.toISOString() ?? null;
}

/** What concerns persons is kept by no cache. */
export const personal = { 'cache-control': 'no-store' };

/** @throws ServiceError not-found */
export async function employeeAt(employees: Employees, number: string): Promise<EmployeeView> {
  const found = await employees.find(number);
  if (found) return found;
  throw noEmployee(number);
}

export const noEmployee = (number: string): ServiceError =>
  new ServiceError('not-found', `There is no employee ${number}.`);
