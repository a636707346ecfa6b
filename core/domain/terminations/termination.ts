/** What a termination is asked for with, and what is told of it; no more of a person than ids. */
import { z } from 'zod';

export const terminationSystems = ['property-projects', 'directory', 'chat-bot'] as const;
export const TerminationSystem = z.enum(terminationSystems);
export type TerminationSystem = z.infer<typeof TerminationSystem>;

const onePerson = 'must have exactly one of crmId and email';
const reasonError = 'must have 3 to 500 characters';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Either is enough: the CRM tells the other. */
export const TerminationRequest = z
  .object({
    crmId: z
      .int('must be a whole number')
      .min(1, 'must be the id of a CRM user')
      .max(2_147_483_647, 'must be the id of a CRM user')
      .optional()
      .describe('The user in the CRM, dismissed or not.'),
    email: z
      .string('must be a text')
      .trim()
      .toLowerCase()
      .max(254, 'must have at most 254 characters')
      .pipe(z.email('must be an e-mail address'))
      .optional()
      .describe('Instead of the id; in any case.'),
    reason: z
      .string('must be a text')
      .trim()
      .min(3, reasonError)
      .max(500, reasonError)
      .regex(/^\P{Cc}*$/u, 'must not have control characters')
      .describe('Why; kept in the audit trail, so better without names.'),
  })
  .refine(({ crmId, email }) => (crmId === undefined) !== (email === undefined), {
    error: onePerson,
    // Told beside the faults of the members, not only once these are mended.
    when: ({ value }) => isObject(value),
  })
  .meta({ examples: [{ crmId: 17, reason: 'Left the firm on 2026-05-31' }] });
export type TerminationRequest = z.infer<typeof TerminationRequest>;

/** How an account stands in its system, as far as it tells whether somebody can still get in. */
export const AccountState = z.union([
  z.object({
    state: z.enum(['STAGED', 'ACTIVATED', 'SUSPENDED']),
    groups: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        byRule: z.boolean().describe('The directory itself decides who belongs to it.'),
      }),
    ),
    scheduledActivations: z.int().describe('Times at which the directory was going to activate the user.'),
  }),
  z.object({ role: z.string().nullable(), active: z.boolean() }),
  z.object({ active: z.boolean() }),
]);
export type AccountState = z.infer<typeof AccountState>;

export const SystemTermination = z
  .object({
    system: TerminationSystem,
    outcome: z
      .enum(['terminated', 'already-terminated', 'absent'])
      .describe('`absent`: the system has no such user, which is as good.'),
    user: z.object({
      crmId: z.int().nullable().describe('Null when the CRM does not know the user.'),
      id: z.string().nullable().describe('In this system; null when it has no such user.'),
      matchedBy: z.enum(['crmId', 'email']).nullable(),
    }),
    before: AccountState.nullable().describe('Null when the system had no such user.'),
    after: AccountState.nullable().describe('As read again afterwards; null when there is no such user now.'),
    verifiedAt: z.iso.datetime().describe('When `after` was read.'),
  })
  .meta({
    id: 'SystemTermination',
    examples: [
      {
        system: 'directory',
        outcome: 'terminated',
        user: { crmId: 17, id: '5f00efc2966f0faecc3be694', matchedBy: 'email' },
        before: {
          state: 'ACTIVATED',
          groups: [{ id: '613b591a6d062105d4a11f84', name: 'All staff', byRule: false }],
          scheduledActivations: 0,
        },
        after: { state: 'SUSPENDED', groups: [], scheduledActivations: 0 },
        verifiedAt: '2026-01-31T08:00:03.120Z',
      },
    ],
  });
export type SystemTermination = z.infer<typeof SystemTermination>;

export const FullTermination = z
  .object({
    outcome: z
      .enum(['terminated', 'already-terminated'])
      .describe('`already-terminated`: nothing was left to do in any of the systems.'),
    user: z.object({ crmId: z.int().nullable() }),
    systems: z.array(SystemTermination),
    verifiedAt: z.iso.datetime().describe('When the last of the systems was read again.'),
  })
  .meta({ id: 'FullTermination' });
export type FullTermination = z.infer<typeof FullTermination>;
