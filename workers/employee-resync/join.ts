/** Joins the employee records, the directory's users and the CRM's users into persons. */
import type { CrmUser } from '../../core/integrations/crm/users.ts';
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';
import { groupBy } from '../../core/values/group-by.ts';

export interface EmployeeSources {
  records: readonly Employee[];
  directory: readonly DirectoryUser[];
  crm: readonly CrmUser[];
}

export interface Person {
  /** Unique; see EmployeeView. */
  number: string;
  record: Employee | undefined;
  user: DirectoryUser | undefined;
  crmUser: CrmUser | undefined;
}

export interface JoinWarning {
  number: string;
  outcome: 'ambiguous' | 'conflict' | 'skipped';
  reason: string;
}

type Warn = (number: string, outcome: JoinWarning['outcome'], reason: string) => void;

/** @param numbers directory id → number in the last list, for users without an employee number in the directory */
export function joinEmployees(sources: EmployeeSources, numbers: ReadonlyMap<string, string>) {
  const warnings: JoinWarning[] = [];
  const warn: Warn = (number, outcome, reason) => warnings.push({ number, outcome, reason });
  const { withRecord, unclaimed } = joinDirectory(sources, warn);
  const taken = new Set(withRecord.map(({ number }) => number));
  const withoutRecord = unclaimed.flatMap(user => directoryOnly(user, numbers, taken, warn));
  const persons = [...withRecord, ...withoutRecord];
  joinCrm(persons, sources.crm, warn);
  const current = withRecord.filter(({ record }) => record && isCurrent(record));
  return {
    persons,
    warnings,
    /** Directory users that belong to no employee: service accounts, and former employees. */
    skippedUsers: unclaimed.length - withoutRecord.length,
    /** Number of current employees, and of those without a directory user. */
    current: {
      employees: current.length,
      unknownToDirectory: current.filter(({ user }) => !user).length,
    },
  };
}

export const isCurrent = ({ status }: Pick<Employee, 'status'>): boolean => status !== 'Left';

/** By directory id, else by employee number, else by e-mail; former employees not by e-mail. */
function joinDirectory({ records, directory }: EmployeeSources, warn: Warn) {
  const numberOf = recordNumbers(records, warn);
  const users = claimedUsers(directory);
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
      warn(
        number,
        'ambiguous',
        `The employee records have the same e-mail for ${others.map(numberOf).join(', ')}: it identifies no one.`,
      );
    if (!found.has(record))
      warn(
        number,
        'skipped',
        'The identity directory does not have this employee; the fields it owns keep the records’ values.',
      );
  }
  const taken = new Set(records.map(numberOf));
  const withRecord = records.map((record): Person => {
    const user = found.get(record);
    return { number: newNumber(record, user, taken) ?? numberOf(record), record, user, crmUser: undefined };
  });
  return { withRecord, unclaimed: users.unclaimed() };
}

/** The directory's number for a record without one, unless another record has it. */
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

/** Records that share a number are identified by their record names. */
function recordNumbers(records: readonly Employee[], warn: Warn): (record: Employee) => string {
  const counts = new Map<string, number>();
  for (const { number, recordName } of records)
    for (const name of new Set([number, recordName])) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isShared = ({ number }: Employee): boolean => (counts.get(number) ?? 0) > 1;
  for (const record of records.filter(isShared))
    warn(
      record.recordName,
      'ambiguous',
      `Several records have the employee number ${record.number}; this one is listed under its record name.`,
    );
  return record => (isShared(record) ? record.recordName : record.number);
}

/** Each employee with an e-mail that other current employees have → these others. */
function sharersOfEmails(current: readonly Employee[]): Map<Employee, Employee[]> {
  const groups = groupBy(
    current.filter(({ email }) => email),
    ({ email }) => email?.toLowerCase(),
  );
  return new Map(
    [...groups.values()]
      .filter(group => group.length > 1)
      .flatMap(group => group.map(record => [record, group.filter(other => other !== record)] as const)),
  );
}

/** A directory user that is not suspended and has a number is an employee, even without a record. */
function directoryOnly(
  user: DirectoryUser,
  numbers: ReadonlyMap<string, string>,
  taken: Set<string>,
  warn: Warn,
): Person[] {
  const number = user.employeeNumber ?? numbers.get(user.id);
  if (number === undefined || user.state === 'SUSPENDED') return [];
  if (taken.has(number)) {
    warn(number, 'ambiguous', `User ${user.id} of the identity directory has the number of another employee.`);
    return [];
  }
  taken.add(number);
  warn(
    number,
    'skipped',
    'The employee records do not have this employee; the list shows the identity directory’s fields.',
  );
  return [{ number, record: undefined, user, crmUser: undefined }];
}

/** By the CRM id in the record, else by e-mail, preferably the directory's. */
function joinCrm(persons: readonly Person[], crm: readonly CrmUser[], warn: Warn): void {
  const byId = new Map(crm.map(user => [user.id, user]));
  const byEmail = groupBy(crm, ({ email }) => email?.toLowerCase());
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
      warn(
        person.number,
        'ambiguous',
        `Several users of the CRM have this employee’s e-mail: ${[only, ...others].map(user => user?.id).join(', ')}.`,
      );
  }
}

/** The directory's users, found by what a record may have of them; each belongs to at most one record. */
function claimedUsers(users: readonly DirectoryUser[]) {
  const claimed = new Set<DirectoryUser>();
  const byId = new Map(users.map(user => [user.id, user]));
  const byNumber = usersBy(users, 'employeeNumber');
  const byEmail = usersBy(users, 'email');
  const only = (groups: ReadonlyMap<string, DirectoryUser[]>, key: string | null): DirectoryUser | undefined => {
    const [user, ...others] = key === null ? [] : (groups.get(normalKey(key)) ?? []);
    return others.length === 0 ? user : undefined;
  };
  return {
    byId: (id: string | null) => (id === null ? undefined : byId.get(id)),

    /** Undefined also if several users have the number. */
    byNumber: (number: string | null) => only(byNumber, number),

    /** Case-insensitive. Different employee numbers are different people, or different employments, despite the e-mail. */
    byEmail({ email, employeeNumber }: Employee): DirectoryUser | undefined {
      const user = only(byEmail, email);
      return user && (employeeNumber === null || user.employeeNumber === null) ? user : undefined;
    },

    /** @returns false if another record has claimed the user */
    claim(user: DirectoryUser): boolean {
      const isFree = !claimed.has(user);
      claimed.add(user);
      return isFree;
    },

    unclaimed: () => users.filter(user => !claimed.has(user)),
  };
}

const normalKey = (text: string): string => text.trim().toLowerCase();

const usersBy = (users: readonly DirectoryUser[], key: 'employeeNumber' | 'email') =>
  groupBy(
    users.filter(user => user[key] !== null),
    user => normalKey(user[key] ?? ''),
  );
