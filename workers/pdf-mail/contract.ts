/** Sends the result of a brochure job by e-mail, in its own queue, so that a slow mail server never delays prints. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';
import { MailOrder } from '../pdf/contract.ts';

export default defineJob({
  kind: 'pdf-mail',
  subject: 'brochures',
  summary: 'Sends a brochure by e-mail: each recipient once, also when the job is repeated.',
  payload: MailOrder,
  result: z
    .object({
      recipients: z.int().describe('Recipients of the request.'),
      sent: z.int().describe('Recipients whose mail the mail server has accepted.'),
      attached: z.boolean().describe('Whether the file is attached; otherwise the mail has only the link.'),
      link: z
        .object({
          id: z.string().describe('Id of the short link; `GET /jobs/{id}/mail-clicks` counts its clicks.'),
          expiresAt: z.iso.datetime().describe('End of the link, with the result.'),
        })
        .describe('The link to the file.'),
    })
    .meta({
      examples: [
        {
          recipients: 1,
          sent: 1,
          attached: true,
          link: { id: '0199f3a1-7c55-7a10-b1c5-0d8f4d9f1a20', expiresAt: '2026-02-07T08:00:01.377Z' },
        },
      ],
    }),
  hasEffects: true,
  attempts: 4,
  backoffMs: 1_000,
  timeoutMs: 10 * 60_000,
  concurrency: 4,
});
