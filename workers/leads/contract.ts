/** Job family `leads`: leads of the CRM are changed, enriched with what we know elsewhere, or first one and then the other. */
import { z } from 'zod';
import { LeadChange } from '../../core/integrations/crm/leads.ts';
import { defineJob } from '../../core/jobs/contract.ts';
import { SyncReport } from '../../core/sync/report.ts';
import { toE164 } from '../../core/values/phone-number.ts';

const mostLeads = 1_000;

const Phone = z
  .string({ error: 'must be a text' })
  .max(100, 'must have at most 100 characters')
  .transform((written, context) => {
    const phone = toE164(written);
    if (phone !== undefined) return phone;
    context.addIssue({ code: 'custom', message: 'is no phone number; write it as +971501234567' });
    return z.NEVER;
  });

const shape = {
  ...LeadChange.shape,
  phones: z.array(Phone).max(20, 'must have at most 20 numbers').optional(),
};

const utm = LeadChange.shape.utm.unwrap();

function refuseOthers(
  given: object,
  known: readonly string[],
  path: string[],
  context: z.RefinementCtx,
): void {
  for (const name of Object.keys(given).filter(name => !known.includes(name)))
    context.addIssue({
      code: 'custom',
      path: [...path, name],
      message: `is no field of a lead; there are ${known.join(', ')}`,
    });
}

/** A name that no field has would be a change that is not made, and nobody would know. */
const Fields = z
  .looseObject({ ...shape, utm: utm.loose().optional() })
  .superRefine(
    (fields, context) => {
      refuseOthers(fields, Object.keys(shape), [], context);
      refuseOthers(fields.utm ?? {}, Object.keys(utm.shape), ['utm'], context);
      if (Object.keys(fields).length === 0)
        context.addIssue({ code: 'custom', message: 'must name what is to be changed' });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  )
  .transform(fields => LeadChange.parse(fields))
  .describe('What is to be changed; null empties a field, phones and e-mails are added to those there.');

const LeadId = z
  .int('must be the id of a lead')
  .min(1, 'must be the id of a lead')
  .describe('The lead’s id in the CRM.');

const listOf = <L extends z.ZodType<{ id: number }>>(lead: L) =>
  z
    .array(lead, { error: 'must be a list of leads' })
    .min(1, 'must have at least one lead')
    .max(mostLeads, `must have at most ${mostLeads.toLocaleString('en')} leads`)
    .superRefine((leads, context) => {
      const seen = new Set<number>();
      for (const [index, { id }] of leads.entries()) {
        if (seen.has(id))
          context.addIssue({ code: 'custom', path: [index, 'id'], message: `is the lead ${id} once more` });
        seen.add(id);
      }
    })
    .optional();

/** Many leads in `leads`, or one by itself with the members named. */
const oneForm =
  (...members: string[]) =>
  (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx) => {
    const fault = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    const given = members.filter(name => body[name] !== undefined);
    const one = members.map(name => `\`${name}\``).join(' and ');
    if (body.leads !== undefined) {
      for (const name of given) fault(name, 'must not be there together with `leads`');
    } else if (given.length === 0) fault('leads', `must be there; or, for one lead, ${one}`);
    else
      for (const name of members)
        if (!given.includes(name)) fault(name, `must be there, because \`${given}\` is`);
  };

export const LeadUpdates = z
  .object({
    leads: listOf(z.object({ id: LeadId, fields: Fields })),
    id: LeadId.optional(),
    fields: Fields.optional(),
  })
  .superRefine(oneForm('id', 'fields'))
  .transform(({ leads, id, fields }) => ({
    leads: leads ?? (id === undefined || fields === undefined ? [] : [{ id, fields }]),
  }))
  .meta({
    examples: [
      { leads: [{ id: 1203, fields: { status: 'IN_PROCESS', assignedUserId: 17 } }] },
      { id: 1203, fields: { phones: ['050 123 4567'], utm: { campaign: 'creek-views' } } },
    ],
  });

export const LeadIds = z
  .object({ leads: listOf(z.object({ id: LeadId })), id: LeadId.optional() })
  .superRefine(oneForm('id'))
  .transform(({ leads, id }) => ({ leads: leads ?? (id === undefined ? [] : [{ id }]) }))
  .meta({ examples: [{ leads: [{ id: 1203 }, { id: 1204 }] }, { id: 1203 }] });

/** What the worker reads back from the stored input. */
export const LeadWork = z.array(z.object({ id: z.int(), fields: LeadChange.optional() }));
export type LeadWork = z.infer<typeof LeadWork>;

export const LeadStep = z.object({
  outcome: z
    .enum(['updated', 'same', 'not-found', 'failed', 'not-run'])
    .describe('`same`: there was nothing to change. `not-run`: the update before it failed.'),
  fields: z.array(z.string()).describe('What was changed.'),
  leftOut: z.array(z.string()).describe('What could not be found out, because a system was not available.'),
  reason: z.string().nullable(),
});
export type LeadStep = z.infer<typeof LeadStep>;

export const LeadResult = z
  .object({
    id: z.int(),
    update: LeadStep.nullable().describe('Null: was not asked for.'),
    enrichment: LeadStep.nullable().describe('Null: was not asked for.'),
  })
  .meta({
    examples: [
      {
        id: 1_203,
        update: { outcome: 'updated', fields: ['status', 'assignedUserId'], leftOut: [], reason: null },
        enrichment: null,
      },
    ],
  });
export type LeadResult = z.infer<typeof LeadResult>;

export default defineJob({
  kind: 'leads',
  subject: 'leads',
  summary: 'Changes leads in the CRM, enriches them, or both: a lead whose update failed is not enriched.',
  payload: z.object({
    do: z.enum(['update', 'enrich', 'update-and-enrich']),
    input: z.string().describe('SHA-256 of the stored list of leads.'),
    leads: z.int().min(1).max(mostLeads),
  }),
  result: SyncReport.extend({
    leads: z.array(LeadResult).describe('What came of each lead, in the order in which they were sent.'),
  }),
  attempts: 6,
  backoffMs: 5_000,
  timeoutMs: 60 * 60_000,
  concurrency: 2,
});
