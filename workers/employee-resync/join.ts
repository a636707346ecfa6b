/** Finds out which record, which user of the directory and which user of the CRM are one person. */
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { ClaimedUsers } from './claimed-users.ts';

export interface EmployeeSources {
  records: readonly Employee[];
  directory: readonly DirectoryUser[];
  crm: readonly CrmUser[];
}

export interface Person {
  /** Unique; see ListedEmployee. */
  number: string;
  record: Employee | undefined;
  user: DirectoryUser | undefined;
  crmUser: CrmUser | undefined;
}

export interface Doubt {
  number: string;
  outcome: 'ambiguous' | 'conflict' | 'skipped';
  reason: string;
}

export interface Joined {
  persons: Person[];
  doubts: Doubt[];
  /** Users of the directory who are nobody's: accounts of machines, and of people who are gone. */
  skippedUsers: number;
  /** Of the employees who have not left, how many there are, and how many the directory does not know. */
  current: { employees: number; unknownToDirectory: number };
}

/** @param numbers by the directory's id: the numbers of the last list, for users whom the directory tells none of */
export function joinEmployees(sources: EmployeeSources, numbers: ReadonlyMap<string, string>): Joined {
  const doubts: Doubt[] = [];
  const { withRecord, unclaimed } = joinDirectory(sources, doubts);
  const taken = new Set(withRecord.map(({ number }) => number));
  const withoutRecord = unclaimed.flatMap(user => directoryOnly(user, numbers, taken, doubts));
  const persons = [...withRecord, ...withoutRecord];
  joinCrm(persons, sources.crm, doubts);
  const current = withRecord.filter(({ record }) => record && isCurrent(record));
  return {
    persons,
    doubts,
    skippedUsers: unclaimed.length - withoutRecord.length,
    current: {
      employees: current.length,
      unknownToDirectory: current.filter(({ user }) => !user).length,
    },
  };
}

export const isCurrent = ({ status }: Pick<Employee, 'status'>): boolean => status !== 'Left';

/** By the directory's id, else by employee number, else by e-mail; those who have left by their own number only. */
function joinDirectory({ records, directory }: EmployeeSources, doubts: Doubt[]) {
  const numberOf = recordNumbers(records, doubts);
  const users = new ClaimedUsers(directory);
  const found = new Map<Employee, DirectoryUser>();
  const claim = (some: readonly Employee[], userOf: (record: Employee) => DirectoryUser | undefined) => {
    for (const record of some) {
      const user = found.has(record) ? undefined : userOf(record);
      if (user && users.claim(user)) found.set(record, user);
    }
  };
  const current = records.filter(isCurrent);
  const currentFirst = [...current, ...records.filter(record => !isCurrent(record))];
  claim(currentFirst, ({ directoryId }) => users.byId(directoryId));
  claim(currentFirst, record => users.byNumber(record.employeeNumber));
  const sharers = sharersOfEmails(current);
  claim(current, record => (sharers.has(record) ? undefined : users.byEmail(record)));

  for (const record of current) {
    const number = numberOf(record);
    const others = sharers.get(record);
    if (others)
      doubts.push({
        number,
        outcome: 'ambiguous',
        reason: `The employee records have the same e-mail for ${others.map(numberOf).join(', ')}: nobody is found by it.`,
      });
    if (!found.has(record))
      doubts.push({
        number,
        outcome: 'skipped',
        reason:
          'The identity directory does not know this employee; what it owns stays as the records have it.',
      });
  }
  const taken = new Set(records.map(numberOf));
  const withRecord = records.map((record): Person => {
    const user = found.get(record);
    return { number: newNumber(record, user, taken) ?? numberOf(record), record, user, crmUser: undefined };
  });
  return { withRecord, unclaimed: users.unclaimed() };
}

/** A record without a number is given the directory's, unless another has it. */
function newNumber(
  { employeeNumber }: Employee,
  user: DirectoryUser | undefined,
  taken: Set<string>,
): string | undefined {
  const number = user?.employeeNumber ?? null;
  if (employeeNumber !== null || number === null || taken.has(number)) return undefined;
  taken.add(number);
  return number;
}

/** A number that several records have tells none of them apart. */
function recordNumbers(records: readonly Employee[], doubts: Doubt[]): (record: Employee) => string {
  const counts = new Map<string, number>();
  for (const { number, recordName } of records)
    for (const name of new Set([number, recordName])) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isShared = ({ number }: Employee): boolean => (counts.get(number) ?? 0) > 1;
  for (const record of records.filter(isShared))
    doubts.push({
      number: record.recordName,
      outcome: 'ambiguous',
      reason: `Several records have the employee number ${record.number}; this one goes by its record name.`,
    });
  return record => (isShared(record) ? record.recordName : record.number);
}

/** Each employee whose e-mail others who work here have too → these. */
function sharersOfEmails(current: readonly Employee[]): Map<Employee, Employee[]> {
  const groups = new Map<string, Employee[]>();
  for (const record of current) {
    const email = record.email?.toLowerCase();
    if (email) groups.set(email, [...(groups.get(email) ?? []), record]);
  }
  return new Map(
    [...groups.values()]
      .filter(group => group.length > 1)
      .flatMap(group => group.map(record => [record, group.filter(other => other !== record)] as const)),
  );
}

/** Who can sign in and has a number is an employee, though the records do not have them. */
function directoryOnly(
  user: DirectoryUser,
  numbers: ReadonlyMap<string, string>,
  taken: Set<string>,
  doubts: Doubt[],
): Person[] {
  const number = user.employeeNumber ?? numbers.get(user.id);
  if (number === undefined || user.state === 'SUSPENDED') return [];
  if (taken.has(number)) {
    doubts.push({
      number,
      outcome: 'ambiguous',
      reason: `User ${user.id} of the identity directory has the number of another employee.`,
    });
    return [];
  }
  taken.add(number);
  doubts.push({
    number,
    outcome: 'skipped',
    reason:
      'The employee records have no record of this employee: what is listed is the identity directory’s.',
  });
  return [{ number, record: undefined, user, crmUser: undefined }];
}

/** By the id that the records have, else by e-mail: the directory's, where there is one. */
function joinCrm(persons: readonly Person[], crm: readonly CrmUser[], doubts: Doubt[]): void {
  const byId = new Map(crm.map(user => [user.id, user]));
  const byEmail = new Map<string, CrmUser[]>();
  for (const user of crm) {
    const email = user.email?.toLowerCase();
    if (email) byEmail.set(email, [...(byEmail.get(email) ?? []), user]);
  }
  const claimed = new Set<number>();
  const take = (person: Person, user: CrmUser | undefined): void => {
    if (!user || claimed.has(user.id)) return;
    claimed.add(user.id);
    person.crmUser = user;
  };
  for (const person of persons) take(person, byId.get(Number(person.record?.crmId ?? Number.NaN)));
  for (const person of persons) {
    if (person.crmUser || (person.record && !isCurrent(person.record))) continue;
    const email = person.user?.email ?? person.record?.email?.toLowerCase();
    const found = (email ? byEmail.get(email) : undefined) ?? [];
    const working = found.filter(({ active }) => active);
    const [only, ...others] = working.length > 0 ? working : found;
    if (others.length === 0) take(person, only);
    else
      doubts.push({
        number: person.number,
        outcome: 'ambiguous',
        reason: `Several users of the CRM have this employee’s e-mail: ${[only, ...others].map(user => user?.id).join(', ')}.`,
      });
  }
}
