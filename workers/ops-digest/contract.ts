/** Job kind `ops-digest`: mails a summary of the last 24 hours every morning. */
import { z } from 'zod';
import { Alert } from '../../core/alerts/alert.ts';
import { defineJob } from '../../core/jobs/contract.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

const Ended = z.object({
  succeeded: count.describe('Jobs that succeeded.'),
  failed: count.describe('Jobs that failed.'),
  cancelled: count.describe('Jobs that were cancelled.'),
});
const kind = z.string().describe('Kind of job.');

export const Digest = z.object({
  day: z.iso.date().describe('The day on which it was created, in Asia/Dubai.'),
  from: time.describe('Start of the 24 hours that it covers.'),
  to: time.describe('End of the 24 hours.'),
  jobs: z
    .array(
      Ended.extend({
        kind,
        before: Ended.describe('The same for the previous 24 hours.'),
        typicalSeconds: z.number().nullable().describe('Median of the time from start to end.'),
        slowSeconds: z.number().nullable().describe('95th percentile of the same time.'),
      }),
    )
    .describe('Ended jobs by kind: most failures first, then the slowest.'),
  errors: z
    .array(
      z.object({
        kind,
        title: z.string().describe('The type of problem.'),
        count: count.describe('Jobs that failed with it.'),
        lastJobId: z.string().describe('The latest of these jobs.'),
      }),
    )
    .describe('The most frequent errors.'),
  syncs: z
    .array(
      z.object({
        kind,
        runs: count.describe('Number of runs.'),
        read: count.describe('Rows read.'),
        created: count.describe('Rows created.'),
        updated: count.describe('Rows updated.'),
        deleted: count.describe('Rows deleted.'),
        failed: count.describe('Rows that failed.'),
        calls: count.describe('Requests to outside systems.'),
      }),
    )
    .describe('Ended synchronisations without dry runs.'),
  held: z
    .array(
      z.object({
        jobId: z.string().describe('The job.'),
        kind,
        heldAt: time.describe('When it was held.'),
        hours: z.number().min(0).describe('How long it has waited.'),
      }),
    )
    .describe('Held runs, which wait for a decision.'),
  fires: z
    .array(
      z.object({
        schedule: z.string().describe('The schedule.'),
        outcome: z.string().describe('What happened at the due time.'),
        count: count.describe('Number of due times.'),
      }),
    )
    .describe('Due times of schedules without a job, or with a late one.'),
  systems: z
    .array(
      z.object({
        system: z.string().describe('The outside system.'),
        calls: count.describe('Calls to it.'),
        faults: count.describe('Calls that failed.'),
      }),
    )
    .describe('Calls and faults, counted by the running processes since their start.'),
  unknownEffects: z
    .array(z.object({ kind: z.string().describe('Type of effect.'), count: count.describe('Number of effects.') }))
    .describe(
      'Effects in outside systems that may or may not have happened and are not retried; a person must check them.',
    ),
  sms: z
    .object({
      sent: count.describe('Messages that the gateway accepted.'),
      unknown: count.describe('May have been sent.'),
      parts: count.describe('Billed parts.'),
      balance: z
        .object({
          amount: z.number().describe('The balance.'),
          currency: z.string().describe('ISO 4217.'),
          askedAt: time.describe('When the gateway was asked.'),
        })
        .nullable()
        .describe('Of the gateway; null when unknown.'),
    })
    .describe('Short messages.'),
  links: z
    .object({
      created: count.describe('New links.'),
      clicks: count.describe('By people.'),
      scans: count.describe('Scans of QR codes, included in the clicks.'),
      most: z
        .array(
          z.object({
            name: z.string().describe('Name of the link.'),
            slug: z.string().describe('Last segment of the short link.'),
            clicks: count.describe('By people.'),
          }),
        )
        .describe('The most clicked links.'),
    })
    .describe('Short links.'),
  alerts: z.array(Alert).describe('Open alerts.'),
  unusedClients: z
    .array(
      z.object({
        clientId: z.string().describe('The client.'),
        name: z.string().describe('Its name.'),
        lastUsedAt: time.nullable().describe('Last use of a token; null: never.'),
      }),
    )
    .describe('Active clients that were not used for 90 days.'),
});
export type Digest = z.infer<typeof Digest>;

export const SentDigest = Digest.extend({
  mail: z
    .enum(['sent', 'sent-before', 'not-configured'])
    .describe('`sent-before`: the digest of this day was sent already, and is sent once.'),
});
export type SentDigest = z.infer<typeof SentDigest>;

export default defineJob({
  kind: 'ops-digest',
  subject: 'service',
  summary: 'Mails operations a summary of the last 24 hours, once a day.',
  payload: z.object({}),
  result: SentDigest,
  attempts: 6,
  backoffMs: 30_000,
  timeoutMs: 5 * 60_000,
  concurrency: 1,
  exclusive: () => 'all',
  schedules: [
    {
      name: 'ops-digest',
      summary: 'Mails operations a summary of the last 24 hours.',
      cron: '0 8 * * *',
      missed: 'latest',
      payload: {},
    },
  ],
});
