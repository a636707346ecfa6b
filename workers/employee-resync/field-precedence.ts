/** Merges the systems' fields of a person into one employee by field precedence, and reports conflicts. */
import {
  EmployeeField,
  type EmployeeView,
  fieldsOfRecord,
  type Managers,
  phoneOf,
  type SourceFields,
  toView,
} from '../../core/domain/employees/employee-view.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import { isCurrent, type JoinWarning, type Person } from './join.ts';

export const sourceTitles = {
  records: 'the employee records',
  directory: 'the identity directory',
  crm: 'the CRM',
} as const;
export type SourceName = keyof typeof sourceTitles;

interface FieldPrecedence {
  owner: SourceName;
  /** Used in this order if the owner has no value: a missing value empties no field. */
  fallbacks: readonly SourceName[];
  /** True if the resync writes the value into the employee records. */
  written: boolean;
  /** True if reports may quote the values; false for personal data. */
  quoted: boolean;
}

/** Which system decides each field; docs/people.md has the same table. */
export const fieldPrecedence: Readonly<Record<EmployeeField, FieldPrecedence>> = {
  employeeNumber: { owner: 'records', fallbacks: ['directory'], written: true, quoted: true },
  firstName: { owner: 'records', fallbacks: ['directory', 'crm'], written: false, quoted: false },
  lastName: { owner: 'records', fallbacks: ['directory', 'crm'], written: false, quoted: false },
  email: { owner: 'directory', fallbacks: ['records', 'crm'], written: true, quoted: false },
  phone: { owner: 'crm', fallbacks: ['directory', 'records'], written: true, quoted: false },
  department: { owner: 'directory', fallbacks: ['records'], written: true, quoted: true },
  designation: { owner: 'directory', fallbacks: ['records'], written: true, quoted: true },
  // `Left` in the records is final: a former employee may still have a directory user.
  status: { owner: 'directory', fallbacks: ['records'], written: true, quoted: true },
  dateOfJoining: { owner: 'records', fallbacks: [], written: false, quoted: false },
  // The directory decides only for people without a record: a record without a manager is the head of the company.
  reportsTo: { owner: 'records', fallbacks: ['directory'], written: false, quoted: true },
  crmId: { owner: 'crm', fallbacks: ['records'], written: true, quoted: true },
  directoryId: { owner: 'directory', fallbacks: ['records'], written: true, quoted: true },
};

export interface Merged {
  employee: EmployeeView;
  /** The record's fields, normalized; undefined if there is no record. */
  recorded: SourceFields | undefined;
  conflicts: JoinWarning[];
}

const noFields: SourceFields = {
  employeeNumber: null,
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  department: null,
  designation: null,
  status: null,
  dateOfJoining: null,
  reportsTo: null,
  crmId: null,
  directoryId: null,
};

export function mergePerson(person: Person, managers: Managers): Merged {
  const { number, record, user, crmUser } = person;
  const recorded = record && fieldsOfRecord(record, managers);
  const fields: Record<SourceName, SourceFields> = {
    records: recorded ?? noFields,
    directory: user ? fieldsOfUser(user, person, managers) : noFields,
    crm: crmUser ? fieldsOfCrmUser(crmUser) : noFields,
  };
  // The record of a former employee is closed and stays unchanged.
  if (record && recorded && !isCurrent(record)) {
    const employee = toView(number, record.recordName, recorded);
    return { employee, recorded, conflicts: stillActive(person) };
  }
  const conflicts: JoinWarning[] = [];
  const value = <F extends EmployeeField>(field: F): SourceFields[F] => {
    const { owner, fallbacks } = fieldPrecedence[field];
    const [winner, ...others] = [owner, ...fallbacks].filter(source => fields[source][field] !== null);
    if (winner === undefined) return null;
    const losers = others.filter(source => fields[source][field] !== fields[winner][field]);
    if (losers.length > 0)
      conflicts.push({ number, outcome: 'conflict', reason: precedenceReason(field, winner, losers, fields) });
    return fields[winner][field];
  };
  const merged = { ...noFields };
  const merge = <F extends EmployeeField>(field: F) => {
    merged[field] = value(field);
  };
  EmployeeField.options.forEach(merge);
  return { employee: toView(number, record?.recordName ?? null, merged), recorded, conflicts };
}

/** A staged user, which was created but never signed in, is neither active nor suspended. */
const statusOfState = { ACTIVATED: 'Active', SUSPENDED: 'Suspended', STAGED: null } as const;

function fieldsOfUser(user: DirectoryUser, { number, record }: Person, managers: Managers): SourceFields {
  // The directory's number may belong to another record.
  const isOwnNumber =
    user.employeeNumber !== null && (record?.employeeNumber != null || user.employeeNumber === number);
  return {
    ...noFields,
    employeeNumber: record && !isOwnNumber ? null : (user.employeeNumber ?? number),
    firstName: user.firstName,
    lastName: user.lastName,
    email: user.email,
    phone: phoneOf(user.phones.map(phone => phone.number)),
    department: user.department,
    designation: user.jobTitle,
    status: statusOfState[user.state],
    reportsTo: record ? null : managers.ofUser(user.managerId),
    directoryId: user.id,
  };
}

const fieldsOfCrmUser = (user: CrmUser): SourceFields => ({
  ...noFields,
  firstName: user.firstName,
  lastName: user.lastName,
  email: user.email?.toLowerCase() ?? null,
  phone: phoneOf(user.phones),
  crmId: user.id,
});

function precedenceReason(
  field: EmployeeField,
  winner: SourceName,
  losers: readonly SourceName[],
  fields: Readonly<Record<SourceName, SourceFields>>,
): string {
  const quote = (source: SourceName) =>
    fieldPrecedence[field].quoted ? `${sourceTitles[source]} (${fields[source][field]})` : sourceTitles[source];
  return `${field}: ${quote(winner)} takes precedence over ${losers.map(quote).join(' and ')}.`;
}

function stillActive({ number, user }: Person): JoinWarning[] {
  if (user?.state !== 'ACTIVATED') return [];
  const reason = 'status: Left in the employee records, but can still sign in in the identity directory.';
  return [{ number, outcome: 'conflict', reason }];
}
