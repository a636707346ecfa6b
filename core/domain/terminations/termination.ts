/** Request and result of a termination. Results contain ids only, no personal data. */
import { z } from 'zod';
import { DryRun } from '../../sync/report.ts';

export const terminationSystems = ['property-projects', 'directory', 'chat-bot'] as const;
export const TerminationSystem = z.enum(terminationSystems);
export type TerminationSystem = z.infer<typeof TerminationSystem>;

const onePerson = 'must have exactly one of crmId and email';
const reasonError = 'must have 3 to 500 characters';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const TerminationRequest = z
  .object({
    crmId: z
      .int()
      .min(1, 'must be the id of a CRM user')
      .max(2_147_483_647, 'must be the id of a CRM user')
      .optional()
      .describe('The user in the CRM, dismissed or not.'),
    email: z
      .string()
      .trim()
      .toLowerCase()
      .max(254)
      .pipe(z.email())
      .optional()
      .describe('Instead of `crmId`; case-insensitive.'),
    reason: z
      .string()
      .trim()
      .min(3, reasonError)
      .max(500, reasonError)
      .regex(/^\P{Cc}*$/u, 'must not have control characters')
      .describe('Stored in the audit trail, so better without names.'),
    dryRun: DryRun,
  })
  .refine(({ crmId, email }) => (crmId === undefined) !== (email === undefined), {
    error: onePerson,
    // Also runs when members are invalid, so that all faults are reported at once.
    when: ({ value }) => isObject(value),
  })
  .meta({ examples: [{ crmId: 17, reason: 'Left the company on 2026-05-31' }] });
export type TerminationRequest = z.infer<typeof TerminationRequest>;

/** The state of an account that decides whether it can still sign in. */
export const AccountState = z.union([
  z.object({
    state: z.enum(['STAGED', 'ACTIVATED', 'SUSPENDED']),
    groups: z.array(
      z.object({
        id: z.string(),
        name: z.string().nullable(),
        byRule: z.boolean().describe('The directory defines the members by a rule.'),
      }),
    ),
    scheduledActivations: z.int().describe('Number of scheduled activations of the user.'),
  }),
  z.object({ role: z.string().nullable(), active: z.boolean() }),
  z.object({ active: z.boolean() }),
]);
export type AccountState = z.infer<typeof AccountState>;

export const SystemTermination = z
  .object({
    system: TerminationSystem,
    outcome: z
      .enum(['terminated', 'already-terminated', 'absent', 'to-be-terminated'])
      .describe('`absent`: the system has no such user, which counts as a success. `to-be-terminated`: of a dry run.'),
    user: z.object({
      crmId: z.int().nullable().describe('Null if the CRM does not have the user.'),
      id: z.string().nullable().describe('In this system; null if it has no such user.'),
      matchedBy: z.enum(['crmId', 'email']).nullable(),
    }),
    before: AccountState.nullable().describe('Null if the system had no such user.'),
    after: AccountState.nullable().describe('Read again afterwards; null if the user no longer exists.'),
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
      .enum(['terminated', 'already-terminated', 'to-be-terminated'])
      .describe('`already-terminated`: there was nothing to do in any of the systems.'),
    user: z.object({ crmId: z.int().nullable() }),
    systems: z.array(SystemTermination),
    verifiedAt: z.iso.datetime().describe('When the last system was read again.'),
  })
  .meta({ id: 'FullTermination' });
export type FullTermination = z.infer<typeof FullTermination>;
