/** Makes one employee of what the systems say of a person, by the table of owners, and tells where they disagree. */

import type { EmployeeField, ListedEmployee } from '../../core/domain/employees/employee.ts';
import {
  asListed,
  type Managers,
  phoneOf,
  type Said,
  saidByRecord,
} from '../../core/domain/employees/listed-record.ts';
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import { type Doubt, isCurrent, type Person } from './join.ts';
import { ownership, type SourceName, sourceTitles } from './ownership.ts';

export interface Merged {
  employee: ListedEmployee;
  /** What the records say, in the same spelling; undefined: nothing, there is no record. */
  recorded: Said | undefined;
  conflicts: Doubt[];
}

const nothing: Said = {
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
  const recorded = record && saidByRecord(record, managers);
  const said: Record<SourceName, Said> = {
    records: recorded ?? nothing,
    directory: user ? saidByDirectory(user, person, managers) : nothing,
    crm: crmUser ? saidByCrm(crmUser) : nothing,
  };
  // Who has left stays as the records closed the file.
  if (record && recorded && !isCurrent(record)) {
    const employee = asListed(number, record.recordName, recorded);
    return { employee, recorded, conflicts: stillThere(person) };
  }
  const conflicts: Doubt[] = [];
  const word = <F extends EmployeeField>(field: F): Said[F] => {
    const { owner, otherwise } = ownership[field];
    const order = [owner, ...otherwise];
    const winner = order.find(source => said[source][field] !== null);
    if (winner === undefined) return null;
    conflicts.push(...disagreements(number, field, winner, order, said));
    return said[winner][field];
  };
  const merged: Said = {
    employeeNumber: word('employeeNumber'),
    firstName: word('firstName'),
    lastName: word('lastName'),
    email: word('email'),
    phone: word('phone'),
    department: word('department'),
    designation: word('designation'),
    status: word('status'),
    dateOfJoining: word('dateOfJoining'),
    reportsTo: word('reportsTo'),
    crmId: word('crmId'),
    directoryId: word('directoryId'),
  };
  return { employee: asListed(number, record?.recordName ?? null, merged), recorded, conflicts };
}

/** Who was set up and has not begun to sign in is neither active nor suspended. */
const statusOfState = { ACTIVATED: 'Active', SUSPENDED: 'Suspended', STAGED: null } as const;

function saidByDirectory(user: DirectoryUser, { number, record }: Person, managers: Managers): Said {
  // A number that another record has is no word on this one.
  const isOwnNumber =
    user.employeeNumber !== null && (record?.employeeNumber != null || user.employeeNumber === number);
  return {
    ...nothing,
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

const saidByCrm = (user: CrmUser): Said => ({
  ...nothing,
  firstName: user.firstName,
  lastName: user.lastName,
  email: user.email?.toLowerCase() ?? null,
  phone: phoneOf(user.phones),
  crmId: user.id,
});

function disagreements(
  number: string,
  field: EmployeeField,
  winner: SourceName,
  order: readonly SourceName[],
  said: Readonly<Record<SourceName, Said>>,
): Doubt[] {
  const taken = said[winner][field];
  const losers = order.filter(source => said[source][field] !== null && said[source][field] !== taken);
  if (losers.length === 0) return [];
  const quote = (source: SourceName) =>
    ownership[field].quoted ? `${sourceTitles[source]} (${said[source][field]})` : sourceTitles[source];
  const reason = `${field}: the word of ${quote(winner)} counts, not that of ${losers.map(quote).join(' or ')}.`;
  return [{ number, outcome: 'conflict', reason }];
}

function stillThere({ number, user }: Person): Doubt[] {
  if (user?.state !== 'ACTIVATED') return [];
  const reason = 'status: has left by the employee records, and can still sign in by the identity directory.';
  return [{ number, outcome: 'conflict', reason }];
}
