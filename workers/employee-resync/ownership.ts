/**
 * Which system's word counts for which field of an employee. The README shows this table; the resync reads it.
 * The employee records own besides what is not copied: gender, date of birth, relieving date, company, branch.
 */
import type { EmployeeField } from '../../core/domain/employees/employee.ts';

export const sourceTitles = {
  records: 'the employee records',
  directory: 'the identity directory',
  crm: 'the CRM',
} as const;
export type SourceName = keyof typeof sourceTitles;

interface FieldOwnership {
  owner: SourceName;
  /** Asked in this order where the owner says nothing: silence empties no field. */
  otherwise: readonly SourceName[];
  /** Whether the resync writes the owner's word into the employee records. */
  written: boolean;
  /** Whether a report may quote what the systems say: never what tells who a person is. */
  quoted: boolean;
}

export const ownership: Readonly<Record<EmployeeField, FieldOwnership>> = {
  employeeNumber: { owner: 'records', otherwise: ['directory'], written: true, quoted: true },
  firstName: { owner: 'records', otherwise: ['directory', 'crm'], written: false, quoted: false },
  lastName: { owner: 'records', otherwise: ['directory', 'crm'], written: false, quoted: false },
  email: { owner: 'directory', otherwise: ['records', 'crm'], written: true, quoted: false },
  phone: { owner: 'crm', otherwise: ['directory', 'records'], written: true, quoted: false },
  department: { owner: 'directory', otherwise: ['records'], written: true, quoted: true },
  designation: { owner: 'directory', otherwise: ['records'], written: true, quoted: true },
  // `Left` is the records' word, and final: whoever has left may have a user there still.
  status: { owner: 'directory', otherwise: ['records'], written: true, quoted: true },
  dateOfJoining: { owner: 'records', otherwise: [], written: false, quoted: false },
  // The directory is asked for people without a record only: who reports to nobody in the records leads the firm.
  reportsTo: { owner: 'records', otherwise: ['directory'], written: false, quoted: true },
  crmId: { owner: 'crm', otherwise: ['records'], written: true, quoted: true },
  directoryId: { owner: 'directory', otherwise: ['records'], written: true, quoted: true },
};
