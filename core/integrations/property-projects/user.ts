/** A user of the property-project system, with our names; the schema also reads the system's values. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import { textOrNull as text } from '../kit/row.ts';
import { id, number, time } from './scalars.ts';

export const ProjectUser = z
  .object({
    id,
    firstName: text,
    lastName: text,
    email: text.overwrite(email => email?.toLowerCase() ?? null).describe('Lower case.'),
    phone: text.overwrite(phone => phone && (toE164(phone) ?? phone)),
    role: text.describe('admin, editor or viewer.'),
    crmId: number,
    active: z.preprocess(active => active ?? true, z.boolean()),
    createdAt: time,
  })
  .meta({
    id: 'ProjectUser',
    examples: [
      {
        id: '31',
        firstName: 'Sara',
        lastName: 'Haddad',
        email: 'sara.haddad@meridianpalm.example',
        phone: '+971501234567',
        role: 'editor',
        crmId: 17,
        active: true,
        createdAt: '2026-01-31T08:00:00.000Z',
      },
    ],
  });
export type ProjectUser = z.infer<typeof ProjectUser>;

const name = z.string('must be a text').trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters');

export const ProjectUserFields = z
  .object({
    firstName: name,
    lastName: name,
    email: z
      .string('must be a text')
      .trim()
      .toLowerCase()
      .max(254, 'must have at most 254 characters')
      .pipe(z.email('must be an e-mail address')),
    phone: z
      .string('must be a text')
      .max(40, 'must have at most 40 characters')
      .transform((given, context) => {
        const phone = toE164(given);
        if (phone !== undefined) return phone;
        context.addIssue({ code: 'custom', message: 'must be a phone number, such as +971501234567' });
        return z.NEVER;
      })
      .nullable()
      .default(null),
    role: z.enum(['admin', 'editor', 'viewer'], 'must be admin, editor or viewer').default('viewer'),
    crmId: z.int('must be a whole number').positive('must be a positive number').nullable().default(null),
    active: z.boolean('must be true or false').default(true),
  })
  .meta({
    examples: [
      {
        firstName: 'Sara',
        lastName: 'Haddad',
        email: 'sara.haddad@meridianpalm.example',
        phone: '050 123 4567',
        role: 'editor',
        crmId: 17,
      },
    ],
  });
export type ProjectUserFields = z.infer<typeof ProjectUserFields>;
