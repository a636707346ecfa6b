/** People as the three systems have them, for tests that say only what matters. */
import type { EmployeeView } from '../../core/domain/employees/employee-view.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import type { EmployeeSources } from '../../workers/employee-resync/join.ts';
import { type Planned, planEmployees } from '../../workers/employee-resync/plan.ts';

/** @param place such as 7: record HR-EMP-00007 with number MP-7 */
export function employeeRecord(place: number, told: Partial<Employee> = {}): Employee {
  const recordName = `HR-EMP-${String(place).padStart(5, '0')}`;
  const employeeNumber = told.employeeNumber === undefined ? `MP-${place}` : told.employeeNumber;
  return {
    recordName,
    firstName: 'Sara',
    lastName: 'Haddad',
    email: `person.${place}@example.com`,
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
    ...told,
    employeeNumber,
    number: employeeNumber ?? recordName,
  };
}

/** What the record of that place says, as the directory has it. */
export const directoryUser = (place: number, told: Partial<DirectoryUser> = {}): DirectoryUser => ({
  id: `user-${place}`,
  username: `person.${place}`,
  email: `person.${place}@example.com`,
  firstName: 'Sara',
  lastName: 'Haddad',
  displayName: 'Sara Haddad',
  state: 'ACTIVATED',
  employeeNumber: `MP-${place}`,
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
  ...told,
});

export const crmUser = (place: number, told: Partial<CrmUser> = {}): CrmUser => ({
  id: place,
  firstName: 'Sara',
  lastName: 'Haddad',
  name: 'Sara Haddad',
  email: `person.${place}@example.com`,
  phones: [],
  jobTitle: null,
  departmentIds: [],
  active: true,
  ...told,
});

export const planOf = (sources: Partial<EmployeeSources>, known: readonly EmployeeView[] = []): Planned =>
  planEmployees(
    { records: [], directory: [], crm: [], ...sources },
    { asOf: new Date('2026-01-31T00:00:00Z'), known, isStored: () => true },
  );
