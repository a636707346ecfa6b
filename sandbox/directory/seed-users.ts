/** Seed data: the directory's users: most people of the firm and some service accounts, with outdated values. */
import { generatePeople, type Person } from '../kit/people.ts';

type UserState = 'STAGED' | 'ACTIVATED' | 'SUSPENDED';

export interface SystemUser {
  /** 24 hexadecimal digits. */
  _id: string;
  username: string;
  email: string;
  firstname: string;
  lastname: string;
  displayname: string;
  state: UserState;
  suspended: boolean;
  activated: boolean;
  account_locked: boolean;
  password_expired: boolean;
  /** Absent for users without a number; so are the manager and the other e-mail. */
  employeeIdentifier?: string;
  employeeType: string;
  department: string;
  jobTitle: string;
  costCenter: string;
  company: string;
  location: string;
  manager?: string;
  alternateEmail?: string;
  phoneNumbers: { type: string; number: string }[];
  addresses: never[];
  attributes: { name: string; value: string }[];
  created: string;
  mfa: { configured: boolean; exclusion: boolean };
  totp_enabled: boolean;
}

const firm = 'Meridian Palm';
const serviceAccounts = ['backup', 'scanner', 'printer', 'reception-tablet', 'meeting-room'];

/** @param size number of users, including the service accounts */
export function seedUsers(size: number): SystemUser[] {
  const allPeople = generatePeople(Math.max(Math.ceil(size * 1.1) + 50, 300));
  const leavers = allPeople.filter(({ leftOn }) => leftOn !== undefined);
  const members = allPeople.filter(person => hasAccount(person, leavers));
  return [
    ...members
      .slice(0, Math.max(0, size - serviceAccounts.length))
      .map(person => userOf(person, allPeople, leavers.indexOf(person))),
    ...serviceAccounts.slice(0, size).map(serviceUser),
  ];
}

/** Half of the dismissed people were deleted; some people were never added. */
function hasAccount(person: Person, leavers: readonly Person[]): boolean {
  const leaver = leavers.indexOf(person);
  return leaver >= 0 ? leaver % 2 === 1 : person.number % 17 !== 0;
}

/** @param leaver index among the dismissed people; -1 for others */
function userOf(person: Person, allPeople: readonly Person[], leaver: number): SystemUser {
  const { number, firstName } = person;
  const state = stateOf(number, leaver);
  const lastName = number % 60 === 11 ? `${person.lastName}-Rahman` : person.lastName;
  const manager = allPeople[(person.managerNumber ?? 0) - 1];
  return {
    _id: person.directoryId,
    username: person.email.split('@')[0] ?? person.email,
    email: number % 33 === 4 ? capitalised(person.email) : person.email,
    firstname: firstName,
    lastname: lastName,
    displayname: `${firstName} ${lastName}`,
    state,
    suspended: state === 'SUSPENDED',
    activated: state === 'ACTIVATED',
    account_locked: number % 100 === 50,
    password_expired: false,
    ...(number % 40 !== 5 && { employeeIdentifier: person.employeeNumber }),
    employeeType: 'Full-time',
    department: number % 25 === 7 ? 'Off-Plan Sales' : person.department,
    jobTitle: number % 20 === 3 ? `Senior ${person.jobTitle}`.replace('Senior Senior', 'Lead') : person.jobTitle,
    costCenter: '',
    company: firm,
    location: person.office,
    ...(manager && { manager: manager.directoryId }),
    phoneNumbers: phonesOf(person),
    addresses: [],
    attributes: [],
    created: `${person.joinedOn}T06:00:00.000Z`,
    mfa: { configured: number % 3 !== 0, exclusion: false },
    totp_enabled: number % 3 !== 0,
  };
}

/** Five dismissed people can still sign in; a few people are not activated yet. */
function stateOf(number: number, leaver: number): UserState {
  if (leaver >= 0) return leaver % 12 === 1 ? 'ACTIVATED' : 'SUSPENDED';
  return number % 90 === 0 ? 'STAGED' : 'ACTIVATED';
}

function phonesOf({ number, phone }: Person): SystemUser['phoneNumbers'] {
  if (number % 11 === 0) return [];
  const national = `0${phone.slice(4, 6)} ${phone.slice(6, 9)} ${phone.slice(9)}`;
  return [{ type: 'mobile', number: number % 4 === 1 ? national : phone }];
}

const capitalised = (email: string): string => email.replace(/(^|[.@])[a-z]/g, letters => letters.toUpperCase());

function serviceUser(name: string, index: number): SystemUser {
  return {
    _id: `5e${String(index + 1).padStart(22, '0')}`,
    username: `svc-${name}`,
    email: `svc-${name}@meridianpalm.example`,
    firstname: 'Service',
    lastname: name,
    displayname: `Service ${name}`,
    state: 'ACTIVATED',
    suspended: false,
    activated: true,
    account_locked: false,
    password_expired: false,
    employeeType: 'Service account',
    department: '',
    jobTitle: '',
    costCenter: '',
    company: firm,
    location: '',
    phoneNumbers: [],
    addresses: [],
    attributes: [],
    created: '2024-01-01T06:00:00.000Z',
    mfa: { configured: false, exclusion: true },
    totp_enabled: false,
  };
}
