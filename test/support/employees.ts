/** People in the three systems, with defaults for everything that a test does not set. */
import type { EmployeeView } from '../../core/domain/employees/employee-view.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import type { EmployeeSources } from '../../workers/employee-resync/join.ts';
import { type Planned, planEmployees } from '../../workers/employee-resync/plan.ts';

/** @param position 7: record HR-EMP-00007 with number MP-7 */
export function employeeRecord(position: number, given: Partial<Employee> = {}): Employee {
  const recordName = `HR-EMP-${String(position).padStart(5, '0')}`;
  const employeeNumber = given.employeeNumber === undefined ? `MP-${position}` : given.employeeNumber;
  return {
    recordName,
    firstName: 'Sara',
    lastName: 'Haddad',
    email: `person.${position}@example.com`,
    personalEmail: null,
    phone: null,
    gender: 'Female',
    dateOfBirth: '1990-01-01',
    dateOfJoining: '2020-01-01',
    relievingDate: null,
    company: 'Meridian Palm',
    department: 'Leasing',
    designation: 'Leasing Consultant',
    branch: null,
    status: 'Active',
    reportsTo: null,
    crmId: null,
    directoryId: null,
    modifiedAt: '2026-01-01 00:00:00',
    ...given,
    employeeNumber,
    number: employeeNumber ?? recordName,
  };
}

/** The directory user of the record with the same position. */
export const directoryUser = (position: number, given: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: `user-${position}`,
  username: `person.${position}`,
  email: `person.${position}@example.com`,
  firstName: 'Sara',
  lastName: 'Haddad',
  displayName: 'Sara Haddad',
  state: 'ACTIVATED',
  employeeNumber: `MP-${position}`,
  employeeType: null,
  department: 'Leasing',
  jobTitle: 'Leasing Consultant',
  company: null,
  office: null,
  managerId: null,
  alternateEmail: null,
  phones: [],
  accountLocked: false,
  createdAt: null,
  ...given,
});

export const crmUser = (position: number, given: Partial<CrmUser> = {}): CrmUser => ({
  id: position,
  firstName: 'Sara',
  lastName: 'Haddad',
  name: 'Sara Haddad',
  email: `person.${position}@example.com`,
  phones: [],
  jobTitle: null,
  departmentIds: [],
  active: true,
  ...given,
});

export const planOf = (sources: Partial<EmployeeSources>, known: readonly EmployeeView[] = []): Planned =>
  planEmployees(
    { records: [], directory: [], crm: [], ...sources },
    { asOf: new Date('2026-01-31T00:00:00Z'), known, isStored: () => true },
  );
