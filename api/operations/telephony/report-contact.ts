import { desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { Contact, hashOf } from '../../../core/domain/consent/contact.ts';
import { Consent } from '../../../core/domain/consent/evidence.ts';
import { createSuppressions } from '../../../core/domain/consent/suppressions.ts';
import { smsMessageTable as table } from '../../../core/domain/telephony/schema.ts';
import { recordAuditEntry } from '../../../core/postgres/audit.ts';
import { actorOf, defineOperation, ok } from '../../http/operation.ts';
import { SuppressionResource, suppressionView } from './suppression-resource.ts';

const Sent = z.object({
  id: z.string().describe('The message’s id, as at the gateway.'),
  at: z.iso.datetime().describe('When it was sent.'),
  kind: z.enum(['service', 'marketing']),
  state: z.enum(['sending', 'sent', 'unknown']).describe('`sending` and `unknown`: it may have been sent.'),
  sender: z.string().describe('The shown sender.'),
  parts: z.int().describe('Number of SMS.'),
  client: z.string().describe('The API client that sent it.'),
  consent: Consent.nullable().describe('The evidence of consent to marketing.'),
  dncCheckedAt: z.iso.datetime().nullable().describe('When the do-not-call registry permitted it.'),
});

export default defineOperation({
  summary: 'Report what was sent to a contact and why, for a complaint. The report is audited.',
  id: 'telephony.reportContact',
  route: 'POST /apps/telephony/v1/contact-reports',
  scope: 'ops',
  request: { body: z.object({ contact: Contact }).meta({ examples: [{ contact: '050 123 4561' }] }) },
  answers: {
    200: {
      description: 'The messages of the retention time, the newest first; texts are not stored.',
      schema: z.object({
        suppression: SuppressionResource.describe('Whether marketing is stopped.'),
        messages: z.array(Sent).describe('At most 1,000.'),
      }),
      example: {
        suppression: { contact: '+971501234561', suppressed: false, source: null, since: null },
        messages: [
          {
            id: 'sms_0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20',
            at: '2026-01-31T08:00:00.000Z',
            kind: 'marketing',
            state: 'sent',
            sender: 'AD-PORTAL',
            parts: 1,
            client: 'portal',
            consent: { source: 'website form', at: '2026-01-30T08:00:00Z', reference: 'form-4711' },
            dncCheckedAt: '2026-01-31T07:59:58.000Z',
          },
        ],
      },
    },
  },
  async handle({ body: { contact } }, call) {
    const { database, secrets } = call.services;
    const hashed = await hashOf(contact, secrets);
    await recordAuditEntry(database, actorOf(call), {
      action: 'telephony.reportContact',
      target: `/contacts/${hashed}`,
      before: null,
      after: null,
    });
    const rows = await database
      .select()
      .from(table)
      .where(eq(table.contact, hashed))
      .orderBy(desc(table.createdAt))
      .limit(1_000);
    const messages = rows.map(({ id, createdAt, kind, state, sender, parts, clientId, consent, dncCheckedAt }) => ({
      id,
      at: createdAt,
      kind,
      state,
      sender,
      parts,
      client: clientId,
      consent,
      dncCheckedAt,
    }));
    const suppression = suppressionView(contact, await createSuppressions(database).find(hashed));
    return ok({ suppression, messages });
  },
});
