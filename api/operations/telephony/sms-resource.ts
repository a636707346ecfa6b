/** An SMS in requests and answers. */
import { z } from 'zod';
import { Consent } from '../../../core/domain/consent/evidence.ts';
import { optOutPlaceholder } from '../../../core/domain/telephony/marketing.ts';
import { linkPlaceholder, SmsKind } from '../../../core/domain/telephony/send-sms.ts';

export const Sms = z
  .object({
    to: z
      .string({ error: 'must be a phone number' })
      .max(40)
      .meta({ examples: ['050 123 4561'] })
      .describe('The phone number, in any common spelling.'),
    text: z
      .string()
      .max(2_000)
      .describe(
        `\`${linkPlaceholder}\` is replaced by a short link of this message, \`${optOutPlaceholder}\` in marketing by the link that stops it.`,
      )
      .meta({ examples: ['Your viewing is at 4 pm.'] }),
    link: z.string().max(2_048).optional().describe(`The target of \`${linkPlaceholder}\`.`),
    kind: SmsKind.default('service'),
  })
  .meta({
    examples: [{ to: '050 123 4561', text: 'Your viewing is at 4 pm: {link}', link: 'https://example.com/viewing/42' }],
  });

export const SmsWithConsent = Sms.extend({
  consent: Consent.optional().describe(
    'Evidence that the person agreed to marketing; absent: the consent field of the person’s lead in the CRM.',
  ),
});

export const SmsAnswer = z
  .object({
    id: z.string().describe('The message’s id.'),
    to: z.string().describe('E.164.'),
    status: z.literal('sent').describe('The gateway accepted it.'),
    parts: z.int().min(1).describe('Number of SMS; each is billed.'),
    shortUrl: z.string().nullable().describe('The short link in the message; null without one.'),
  })
  .meta({
    id: 'Sms',
    examples: [
      {
        id: '0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20',
        to: '+971501234561',
        status: 'sent',
        parts: 1,
        shortUrl: 'https://portal.example/r/k7f2qa',
      },
    ],
  });
