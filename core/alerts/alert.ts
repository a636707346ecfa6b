/**
 * What an alert is. The words used throughout:
 *
 * - **rule**: what must not be (`core/alerts/rules/`), with a sentence on what a person should do about it.
 * - **finding**: what a rule finds wrong now, by its subject: a kind of job, a schedule, a held job.
 * - **alert**: a finding that lasts. It opens, is told, is over.
 * - **news**: what has happened to alerts since the last message, for one message.
 */
import { z } from 'zod';

/** `critical`: work stands still. `warning`: it goes on, but not as it should. */
export const Severity = z
  .enum(['critical', 'warning'])
  .describe('`critical`: work stands still. `warning`: it goes on, but not as it should.');
export type Severity = z.infer<typeof Severity>;

/** An alert that has opened, as people are told of it. */
export const Alert = z
  .object({
    id: z.uuid(),
    rule: z.string().describe('Which rule opened it, such as `oldest-waiting`.'),
    subject: z
      .string()
      .describe('What it is about: a kind of job, a schedule, a job, or `service` for the whole of it.'),
    severity: Severity,
    what: z.string().describe('What is wrong, as last seen.'),
    mend: z.string().describe('What a person should do.'),
    openedAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime(),
    notifiedAt: z.iso
      .datetime()
      .nullable()
      .describe('When a message last told of it; null: no receiver is configured, or it is snoozed.'),
    resolvedAt: z.iso.datetime().nullable().describe('Null: it is open.'),
    snoozedUntil: z.iso.datetime().nullable().describe('No message tells of it until then.'),
    snoozedBy: z.string().nullable().describe('The client’s id, or the login of operations.'),
  })
  .meta({
    id: 'Alert',
    examples: [
      {
        id: '0198c0de-0000-7000-8000-000000000001',
        rule: 'no-worker',
        subject: 'pdf',
        severity: 'critical',
        what: 'No worker takes pdf jobs; 14 jobs waiting.',
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

/** What one message tells. */
export const AlertNews = z.object({
  at: z.iso.datetime(),
  opened: z.array(Alert),
  /** Told before, and still open. */
  reminded: z.array(Alert),
  resolved: z.array(Alert),
});
export type AlertNews = z.infer<typeof AlertNews>;

/** Where news goes. */
export const channels = ['webhook', 'mail'] as const;
export type Channel = (typeof channels)[number];
