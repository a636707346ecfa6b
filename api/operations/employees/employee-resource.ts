/** An employee in answers. */
import { z } from 'zod';
import { EmployeeView } from '../../../core/domain/employees/employee-view.ts';

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

export const EmployeeResource = EmployeeView.omit({ recordName: true })
  .extend({ hasRecord: z.boolean().describe('False: the employee exists in the identity directory only.') })
  .meta({ id: 'Employee', examples: [employeeExample] });

export const employeeResource = ({ recordName, ...employee }: EmployeeView): z.infer<typeof EmployeeResource> => ({
  ...employee,
  hasRecord: recordName !== null,
});

export const EmployeeParams = z.object({
  number: z
    .string()
    .min(1)
    .max(140)
    .describe('The employee number, or the name of the record, such as HR-EMP-00042.')
    .meta({ examples: ['MP-1042'] }),
});

export const asOfField = z.iso
  .datetime()
  .nullable()
  .describe('Start of the last resync, without dry runs; null before the first.');
