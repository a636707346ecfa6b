/** JumpCloud's answers (v1 system users, v2 groups and user-state jobs) and their conversion to our types. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';

/** The directory returns '' for a missing text. */
const text = z
  .string()
  .nullish()
  .transform(value => value?.trim() || null);

export const DirectoryUserState = z.enum(['STAGED', 'ACTIVATED', 'SUSPENDED']);
/** States that can be set. */
export const TargetState = z.enum(['ACTIVATED', 'SUSPENDED']);
export type TargetState = z.infer<typeof TargetState>;

export const DirectoryUser = z
  .object({
    id: z.string(),
    username: z.string().nullable(),
    email: z.string().nullable().describe('Lower case.'),
    firstName: z.string().nullable(),
    lastName: z.string().nullable(),
    displayName: z.string().nullable(),
    state: DirectoryUserState,
    employeeNumber: z.string().nullable(),
    employeeType: z.string().nullable(),
    department: z.string().nullable(),
    jobTitle: z.string().nullable(),
    company: z.string().nullable(),
    office: z.string().nullable(),
    managerId: z.string().nullable().describe('Id of the manager.'),
    alternateEmail: z.string().nullable(),
    phones: z
      .array(z.object({ type: z.string(), number: z.string() }))
      .describe('E.164; invalid numbers as stored in the directory.'),
    accountLocked: z.boolean(),
    createdAt: z.string().nullable(),
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

const WireUser = z
  .object({
    _id: z.string(),
    username: text,
    email: text,
    firstname: text,
    lastname: text,
    displayname: text,
    // Older accounts have only `suspended` and `activated`.
    state: DirectoryUserState.nullish(),
    suspended: z.boolean().nullish(),
    activated: z.boolean().nullish(),
    account_locked: z.boolean().nullish(),
    employeeIdentifier: text,
    employeeType: text,
    department: text,
    jobTitle: text,
    company: text,
    location: text,
    manager: text,
    alternateEmail: text,
    phoneNumbers: z.array(z.object({ type: z.string().nullish(), number: z.string().nullish() })).nullish(),
    created: text,
  })
  .transform(
    (user): DirectoryUser => ({
      id: user._id,
      username: user.username,
      email: user.email?.toLowerCase() ?? null,
      firstName: user.firstname,
      lastName: user.lastname,
      displayName: user.displayname,
      state: user.state ?? (user.suspended ? 'SUSPENDED' : user.activated === false ? 'STAGED' : 'ACTIVATED'),
      employeeNumber: user.employeeIdentifier,
      employeeType: user.employeeType,
      department: user.department,
      jobTitle: user.jobTitle,
      company: user.company,
      office: user.location,
      managerId: user.manager,
      alternateEmail: user.alternateEmail,
      phones: (user.phoneNumbers ?? []).flatMap(({ type, number }) =>
        number ? [{ type: type ?? 'other', number: toE164(number) ?? number }] : [],
      ),
      accountLocked: user.account_locked ?? false,
      createdAt: user.created,
    }),
  );

export { WireUser as UserAnswer };
export const UsersAnswer = z.object({ totalCount: z.int(), results: z.array(WireUser) });

export const DirectoryGroup = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    membership: z.string().nullable().describe('How members are assigned, such as STATIC or DYNAMIC_AUTOMATED.'),
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

export const GroupsAnswer = z.array(
  z
    .object({ id: z.string(), name: z.string(), description: text, membershipMethod: text })
    .transform(({ membershipMethod, ...group }): DirectoryGroup => ({ ...group, membership: membershipMethod })),
);

/** Without names, which the groups have. */
export const ParentsAnswer = z.array(z.object({ type: z.string(), id: z.string() }));

export const StateJobsAnswer = z.array(
  z
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
    })),
);
export type StateJob = z.output<typeof StateJobsAnswer>[number];
