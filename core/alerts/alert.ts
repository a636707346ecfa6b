/**
 * Terms:
 *
 * - **rule**: detects one problem (`core/alerts/rules/`) and says what a person should do.
 * - **finding**: a present problem and its subject: a kind of job, a schedule, a held job.
 * - **alert**: a finding that lasts. It opens and is resolved.
 * - **news**: the content of one message: alerts opened, reminded of and resolved since the last one.
 */
import { z } from 'zod';

export const Severity = z
  .enum(['critical', 'warning'])
  .describe('`critical`: jobs are not run. `warning`: the service works with restrictions.');
export type Severity = z.infer<typeof Severity>;

/** An alert that has opened, as shown to people. */
export const Alert = z
  .object({
    id: z.uuid().describe('The alert’s id.'),
    rule: z.string().describe('The rule that opened it, such as `oldest-waiting`.'),
    subject: z.string().describe('The affected kind of job, schedule, job or system; `service` for the whole service.'),
    severity: Severity,
    what: z.string().describe('The problem, as last seen.'),
    mend: z.string().describe('What a person should do.'),
    openedAt: z.iso.datetime().describe('When the problem was first seen.'),
    lastSeenAt: z.iso.datetime().describe('When the problem was last seen.'),
    notifiedAt: z.iso
      .datetime()
      .nullable()
      .describe('Time of the last message about it; null: none, because no receiver is configured or it is snoozed.'),
    resolvedAt: z.iso.datetime().nullable().describe('Null while it is open.'),
    snoozedUntil: z.iso.datetime().nullable().describe('No messages about it until then.'),
    snoozedBy: z.string().nullable().describe('Client id, or login of the operator.'),
  })
  .meta({
    id: 'Alert',
    examples: [
      {
        id: '0198c0de-0000-7000-8000-000000000001',
        rule: 'no-worker',
        subject: 'pdf',
        severity: 'critical',
        what: 'No worker runs pdf jobs; 14 jobs waiting.',
        mend: 'Start a worker (npm run worker, or docker compose up -d worker).',
        openedAt: '2026-01-31T03:59:30.000Z',
        lastSeenAt: '2026-01-31T04:00:00.000Z',
        notifiedAt: '2026-01-31T03:59:30.000Z',
        resolvedAt: null,
        snoozedUntil: null,
        snoozedBy: null,
      },
    ],
  });
export type Alert = z.infer<typeof Alert>;

/** The content of one message. */
export const AlertNews = z.object({
  at: z.iso.datetime().describe('When the message was written.'),
  opened: z.array(Alert).describe('New since the last message.'),
  /** Open, and in an earlier message. */
  reminded: z.array(Alert).describe('Still open, and in an earlier message.'),
  resolved: z.array(Alert).describe('Ended since the last message.'),
});
export type AlertNews = z.infer<typeof AlertNews>;

export const channels = ['webhook', 'mail'] as const;
export type Channel = (typeof channels)[number];
