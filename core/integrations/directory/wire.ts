/** JumpCloud's answers (v1 system users, v2 groups and user-state jobs) and their conversion to our types. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import { type RowKind, rowsIn } from '../kit/read-rows.ts';
import { picked, rowOf, textOrNull as text } from '../kit/row.ts';

export const system = { name: 'directory', title: 'The identity directory' };
const kind = (record: string, id = 'id'): RowKind => ({ system, record, id });

export const DirectoryUserState = z.enum(['STAGED', 'ACTIVATED', 'SUSPENDED']);
/** States that can be set. */
export const TargetState = z.enum(['ACTIVATED', 'SUSPENDED']);
export type TargetState = z.infer<typeof TargetState>;

export const DirectoryUser = z
  .object({
    id: z.string().describe('The user’s id.'),
    username: text.describe('Name to sign in with.'),
    email: text.overwrite(email => email?.toLowerCase() ?? null).describe('Lower case.'),
    firstName: text.describe('First name.'),
    lastName: text.describe('Last name.'),
    displayName: text.describe('Shown name.'),
    state: DirectoryUserState.describe('Whether the user may sign in.'),
    employeeNumber: text.describe('Employee number.'),
    employeeType: text.describe('Such as Full-time.'),
    department: text.describe('Department.'),
    jobTitle: text.describe('Position.'),
    company: text.describe('Company.'),
    office: text.describe('Place of work.'),
    managerId: text.describe('Id of the manager.'),
    alternateEmail: text.describe('Second e-mail address.'),
    phones: z
      .array(z.object({ type: z.string().describe('Such as mobile.'), number: z.string().describe('The number.') }))
      .describe('E.164; invalid numbers as stored in the directory.'),
    accountLocked: z.boolean().describe('Whether the account is locked after wrong logins.'),
    createdAt: text.describe('When the user was created.'),
  })
  .meta({
    examples: [
      {
        id: '5f00efc2966f0faecc3be694',
        username: 'sara.haddad',
        email: 'sara.haddad@meridianpalm.example',
        firstName: 'Sara',
        lastName: 'Haddad',
        displayName: 'Sara Haddad',
        state: 'ACTIVATED',
        employeeNumber: 'MP-1042',
        employeeType: 'Full-time',
        department: 'Leasing',
        jobTitle: 'Leasing Consultant',
        company: 'Meridian Palm',
        office: 'Dubai Marina',
        managerId: null,
        alternateEmail: null,
        phones: [{ type: 'mobile', number: '+971501234567' }],
        accountLocked: false,
        createdAt: '2024-03-01T05:12:40.000Z',
      },
    ],
  });
export type DirectoryUser = z.infer<typeof DirectoryUser>;

/** Our names of text members → the directory's. */
export const userNames = {
  username: 'username',
  email: 'email',
  firstName: 'firstname',
  lastName: 'lastname',
  displayName: 'displayname',
  employeeNumber: 'employeeIdentifier',
  employeeType: 'employeeType',
  department: 'department',
  jobTitle: 'jobTitle',
  company: 'company',
  office: 'location',
  managerId: 'manager',
  alternateEmail: 'alternateEmail',
  createdAt: 'created',
} as const;

const userRow = (stateOf: (row: Readonly<Record<string, unknown>>) => unknown) =>
  rowOf(DirectoryUser, row => ({
    ...picked(row, userNames),
    id: row._id,
    state: stateOf(row),
    phones: phonesOf(row.phoneNumbers),
    accountLocked: row.account_locked ?? false,
  }));

/** Older accounts have only `suspended` and `activated`. */
const stateByFlags = ({ suspended, activated }: Readonly<Record<string, unknown>>) =>
  suspended ? 'SUSPENDED' : activated === false ? 'STAGED' : 'ACTIVATED';

/** A user in a state that is not documented can be read and suspended alone, but is left out of lists. */
export const UserAnswer = userRow(row => DirectoryUserState.safeParse(row.state).data ?? stateByFlags(row));

/** @returns undefined for a value of another form */
const phonesOf = (rows: unknown) =>
  z
    .array(z.object({ type: z.string().nullish(), number: z.string().nullish() }))
    .safeParse(rows ?? [])
    .data?.flatMap(({ type, number }) => (number ? [{ type: type ?? 'other', number: toE164(number) ?? number }] : []));

export const UsersAnswer = z.object({
  totalCount: z.int(),
  results: rowsIn(
    kind('user', '_id'),
    userRow(row => row.state ?? stateByFlags(row)),
  ),
});
export const FoundUsersAnswer = z.object({ totalCount: z.int(), results: rowsIn(kind('user', '_id'), UserAnswer) });

export const DirectoryGroup = z
  .object({
    id: z.string().describe('The group’s id.'),
    name: z.string().describe('Name of the group.'),
    description: text.describe('What the group is for.'),
    membership: text.describe('How members are assigned, such as STATIC or DYNAMIC_AUTOMATED.'),
  })
  .meta({
    examples: [
      {
        id: '613b591a6d062105d4a11f84',
        name: 'All staff',
        description: null,
        membership: 'DYNAMIC_AUTOMATED',
      },
    ],
  });
export type DirectoryGroup = z.infer<typeof DirectoryGroup>;

export const GroupsAnswer = rowsIn(
  kind('group'),
  rowOf(DirectoryGroup, ({ membershipMethod, ...group }) => ({ ...group, membership: membershipMethod })),
);

/** Without names, which the groups have. */
export const ParentsAnswer = rowsIn(kind('membership'), z.object({ type: z.string(), id: z.string() }));

const WireStateJob = z
  .object({
    scheduledJobId: z.string(),
    scheduledDate: z.coerce.date(),
    state: TargetState,
    systemUserId: z.string(),
  })
  .transform(job => ({
    id: job.scheduledJobId,
    userId: job.systemUserId,
    state: job.state,
    startDate: job.scheduledDate,
  }));
export type StateJob = z.output<typeof WireStateJob>;
export const StateJobsAnswer = rowsIn(kind('state job', 'scheduledJobId'), WireStateJob);
