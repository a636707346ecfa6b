/** An employee as the local list has them: no more of the person than the API shows. */
import { z } from 'zod';
import { EmployeeStatus } from '../../integrations/employee-records/employee.ts';

const text = z.string().nullable();

export const ListedEmployee = z.object({
  /** The employee number; where there is none, or others have it too, the record's own name. Unique. */
  number: z.string(),
  /** The record's own name in the employee records; null: known from the identity directory only. */
  recordName: text,
  employeeNumber: text,
  firstName: z.string(),
  lastName: text,
  /** Lower case. */
  email: text,
  /** E.164 */
  phone: text,
  department: text,
  designation: text,
  status: EmployeeStatus,
  dateOfJoining: text,
  /** The `number` of whom they report to. */
  reportsTo: text,
  crmId: z.int().nullable(),
  directoryId: text,
});
export type ListedEmployee = z.infer<typeof ListedEmployee>;

export type EmployeeField = Exclude<keyof ListedEmployee, 'number' | 'recordName'>;
