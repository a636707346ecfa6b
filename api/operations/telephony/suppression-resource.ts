/** A contact on the list of those that want no marketing. */
import { z } from 'zod';
import type { Suppression } from '../../../core/domain/consent/suppressions.ts';

export const SuppressionResource = z
  .object({
    contact: z.string().describe('E.164, or the e-mail address in lower case.'),
    suppressed: z.boolean().describe('Whether marketing to the contact is stopped.'),
    source: z
      .enum(['client', 'opt-out-link', 'reply'])
      .nullable()
      .describe('Who stopped it: an API client, the person with the opt-out link, or with a reply.'),
    since: z.iso.datetime().nullable().describe('When it was stopped.'),
  })
  .meta({
    id: 'Suppression',
    examples: [
      { contact: '+971501234561', suppressed: true, source: 'opt-out-link', since: '2026-01-31T08:00:00.000Z' },
    ],
  });

export const suppressionView = (contact: string, suppression: Suppression | undefined) => ({
  contact,
  suppressed: suppression !== undefined,
  source: suppression?.source ?? null,
  since: suppression?.createdAt ?? null,
});
