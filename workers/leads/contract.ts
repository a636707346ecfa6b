/** Job kind `leads`: updates CRM leads, enriches them from other systems, or both in this order. */
import { z } from 'zod';
import { LeadChange } from '../../core/integrations/crm/leads.ts';
import { defineJob } from '../../core/jobs/contract.ts';
import { DryRun, SyncReport } from '../../core/sync/report.ts';
import { toE164 } from '../../core/values/phone-number.ts';

const maxLeads = 1_000;

const Phone = z
  .string()
  .max(100)
  .transform((written, context) => {
    const phone = toE164(written);
    if (phone !== undefined) return phone;
    context.addIssue({ code: 'custom', message: 'is not a phone number; write it as +971501234567' });
    return z.NEVER;
  });

const shape = {
  ...LeadChange.shape,
  phones: z
    .array(Phone)
    .max(20, 'must have at most 20 numbers')
    .optional()
    .describe('In any common spelling; added to the existing ones.'),
};

const Fields = z
  .object(shape)
  .refine(fields => Object.keys(fields).length > 0, 'must contain at least one field')
  .describe('The fields to change. Null empties a field; phones and e-mails are added to the existing ones.')
  .meta({ id: 'LeadFields' });

const LeadId = z
  .int('must be the id of a lead')
  .min(1, 'must be the id of a lead')
  .describe('The lead’s id in the CRM.');

const listOf = <L extends z.ZodType<{ id: number }>>(lead: L) =>
  z
    .array(lead, { error: 'must be a list of leads' })
    .min(1, 'must have at least one lead')
    .max(maxLeads, `must have at most ${maxLeads.toLocaleString('en')} leads`)
    .superRefine((leads, context) => {
      const seen = new Set<number>();
      for (const [index, { id }] of leads.entries()) {
        if (seen.has(id)) context.addIssue({ code: 'custom', path: [index, 'id'], message: `repeats the lead ${id}` });
        seen.add(id);
      }
    })
    .optional()
    .describe('The leads, or one with the members beside it.');

/** Accepts either `leads`, or the named members for a single lead. */
const oneForm =
  (...members: string[]) =>
  (body: Readonly<Record<string, unknown>>, context: z.RefinementCtx) => {
    const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    const given = members.filter(name => body[name] !== undefined);
    const one = members.map(name => `\`${name}\``).join(' and ');
    if (body.leads !== undefined) {
      for (const name of given) fault(name, 'must not be sent together with `leads`');
    } else if (given.length === 0) fault('leads', `must be present; or, for one lead, ${one}`);
    else for (const name of members) if (!given.includes(name)) fault(name, `must be present, because \`${given}\` is`);
  };

export const LeadUpdates = z
  .object({
    leads: listOf(z.object({ id: LeadId, fields: Fields })),
    dryRun: DryRun,
    id: LeadId.optional(),
    fields: Fields.optional(),
  })
  .superRefine(oneForm('id', 'fields'))
  .meta({ examples: [{ leads: [{ id: 1203, fields: { status: 'IN_PROCESS', phones: ['050 123 4567'] } }] }] });

export const LeadIds = z
  .object({ leads: listOf(z.object({ id: LeadId })), id: LeadId.optional(), dryRun: DryRun })
  .superRefine(oneForm('id'))
  .meta({ examples: [{ leads: [{ id: 1203 }, { id: 1204 }] }] });

/** The stored input of a job. */
export const LeadWork = z.array(z.object({ id: z.int(), fields: LeadChange.optional() }));
export type LeadWork = z.infer<typeof LeadWork>;

export const LeadStep = z.object({
  outcome: z
    .enum(['updated', 'same', 'not-found', 'failed', 'not-run'])
    .describe('`same`: no change was needed. `not-run`: the preceding update failed.'),
  fields: z.array(z.string()).describe('The changed fields.'),
  leftOut: z.array(z.string()).describe('Fields left out because their source was not available.'),
  reason: z.string().nullable().describe('Why; null without a reason.'),
});
export type LeadStep = z.infer<typeof LeadStep>;

export const LeadResult = z
  .object({
    id: z.int().describe('The lead’s id in the CRM.'),
    update: LeadStep.nullable().describe('Null if it was not requested.'),
    enrichment: LeadStep.nullable().describe('Null if it was not requested.'),
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
  summary: 'Updates leads in the CRM, enriches them, or both: a lead whose update failed is not enriched.',
  payload: z.object({
    do: z.enum(['update', 'enrich', 'update-and-enrich']),
    input: z.string().describe('SHA-256 of the stored list of leads.'),
    leads: z.int().min(1).max(maxLeads),
    dryRun: z.boolean().default(false),
  }),
  result: SyncReport.extend({
    leads: z.array(LeadResult).describe('The outcome of each lead, in the order of the request.'),
  }),
  hasEffects: true,
  attempts: 6,
  backoffMs: 5_000,
  timeoutMs: 60 * 60_000,
  concurrency: 2,
});
