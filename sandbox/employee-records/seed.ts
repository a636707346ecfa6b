/** Seed data: records of nearly all employees and some dismissed people, with typical data errors. */
import { generatePeople, type Person } from '../kit/people.ts';
import { withTables } from './child-tables.ts';
import { company, companyAbbreviation, type Doc, doctypes } from './doctypes.ts';

/** Numbers of two people with a second record for an earlier employment. */
const rehired: readonly number[] = [20, 45];
/** This person's record contains the next person's e-mail. */
const withAnothersEmail = 60;

const departmentDoc = (name: string): string => `${name} - ${companyAbbreviation}`;

export function seedEmployees(size: number): Doc[] {
  const allPeople = generatePeople(Math.max(Math.ceil(size * 1.1) + 70, 300));
  const leavers = allPeople.filter(({ leftOn }) => leftOn !== undefined);
  const people = allPeople.filter(person => hasRecord(person, leavers)).slice(0, size - rehired.length);
  const names = new Map(people.map((person, index) => [person.number, recordName(index + 1)]));
  const records = people.map(person =>
    employeeDoc(person, {
      name: names.get(person.number) ?? '',
      manager: names.get(person.managerNumber ?? 0) ?? null,
      // A third of the dismissed people with a record are still active there.
      left: person.leftOn !== undefined && leavers.indexOf(person) % 12 !== 0,
      email: person.number === withAnothersEmail ? allPeople[withAnothersEmail]?.email : person.email,
    }),
  );
  const rehiredPeople = people.filter(({ number }) => rehired.includes(number));
  return [...records, ...rehiredPeople.map((person, index) => earlierDoc(person, records.length + index + 1))];
}

/** The name in the doctype's naming series. */
export const seriesName = (doctype: string, number: number): string =>
  `${doctypes[doctype]?.series ?? ''}${String(number).padStart(5, '0')}`;

const recordName = (number: number): string => seriesName('Employee', number);

/** A document of attendance for each of the first `count` employees. */
export const seedAttendance = (employees: readonly Doc[], count: number): Doc[] =>
  employees.slice(0, count).map(({ name }, index) => ({
    ...stamp,
    name: seriesName('Attendance', index + 1),
    docstatus: 1,
    employee: name,
    status: 'Present',
    attendance_date: '2026-01-05',
  }));

function hasRecord(person: Person, leavers: readonly Person[]): boolean {
  const leaver = leavers.indexOf(person);
  return leaver >= 0 ? leaver % 4 === 0 : person.number % 41 !== 0;
}

interface RecordDetails {
  name: string;
  manager: string | null;
  left: boolean;
  email: string | undefined;
}

function employeeDoc(person: Person, { name, manager, left, email }: RecordDetails): Doc {
  const { number } = person;
  const created = `${person.joinedOn} 09:00:00.000000`;
  return withTables('Employee', {
    name,
    owner: 'Administrator',
    creation: created,
    modified: created,
    modified_by: 'Administrator',
    docstatus: 0,
    idx: 0,
    naming_series: 'HR-EMP-',
    first_name: person.firstName,
    middle_name: null,
    last_name: person.lastName,
    employee_name: `${person.firstName} ${person.lastName}`,
    gender: person.gender,
    date_of_birth: person.bornOn,
    date_of_joining: person.joinedOn,
    status: left ? 'Left' : 'Active',
    company,
    user_id: null,
    employee_number: number % 80 === 12 ? null : person.employeeNumber,
    department: departmentDoc(number % 30 === 13 ? 'Leasing' : person.department),
    designation: number % 18 === 6 ? 'Property Consultant' : person.jobTitle,
    reports_to: manager,
    branch: person.office,
    cell_number: number % 5 === 1 ? `00971-${person.phone.slice(4)}` : person.phone,
    company_email: number % 70 === 9 ? null : formatEmail(number, email ?? null),
    personal_email: null,
    prefered_email: null,
    relieving_date: left ? (person.leftOn ?? null) : null,
    resignation_letter_date: null,
    image: null,
    attendance_device_id: null,
    custom_crm_id: number % 3 === 0 ? String(person.crmId) : null,
    custom_directory_id: null,
    education: number % 7 === 3 ? [{ school_univ: 'University of Sharjah', level: 'Graduate' }] : [],
  });
}

const formatEmail = (number: number, email: string | null): string | null =>
  number % 15 === 2 && email !== null ? email.replace(/(^|[.@])[a-z]/g, letters => letters.toUpperCase()) : email;

function earlierDoc(person: Person, recordNumber: number): Doc {
  const year = Number(person.joinedOn.slice(0, 4));
  return {
    ...employeeDoc(person, { name: recordName(recordNumber), manager: null, left: true, email: person.email }),
    employee_number: `MP-${500 + person.number}`,
    date_of_joining: `${year - 4}-02-01`,
    relieving_date: `${year - 2}-08-31`,
  };
}

/** Documents that employees' link fields refer to. */
export function seedLinked(field: 'department_name' | 'designation_name' | 'branch' | 'gender'): Doc[] {
  const people = generatePeople(300);
  const values = {
    department_name: people.map(({ department }) => department),
    designation_name: people.map(({ jobTitle }) => jobTitle),
    branch: people.map(({ office }) => office),
    gender: ['Female', 'Male', 'Other', 'Prefer not to say'],
  }[field];
  return [...new Set(values)].sort().map(value => ({
    ...stamp,
    name: field === 'department_name' ? departmentDoc(value) : value,
    [field]: value,
    ...(field === 'department_name' && { company, parent_department: 'All Departments', is_group: 0 }),
  }));
}

export const seedCompanies = (): Doc[] => [
  { ...stamp, name: company, company_name: company, abbr: companyAbbreviation },
];

/** Those of the employees that are named `custom_…`. */
export const seedCustomFields = (): Doc[] =>
  Object.entries(doctypes.Employee?.fields ?? {})
    .filter(([fieldname]) => fieldname.startsWith('custom_'))
    .map(([fieldname, { label }]) => ({
      ...stamp,
      name: `Employee-${fieldname}`,
      dt: 'Employee',
      fieldname,
      label,
      fieldtype: 'Data',
    }));

const stamp = {
  owner: 'Administrator',
  creation: '2024-01-01 09:00:00.000000',
  modified: '2024-01-01 09:00:00.000000',
  modified_by: 'Administrator',
  docstatus: 0,
  idx: 0,
};
