/** Job kind `ops-digest`: mails a summary of the last 24 hours every morning. */
import { z } from 'zod';
import { Alert } from '../../core/alerts/alert.ts';
import { defineJob } from '../../core/jobs/contract.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

const Ended = z.object({ succeeded: count, failed: count, cancelled: count });

export const Digest = z.object({
  day: z.iso.date().describe('The day on which it was created, in Asia/Dubai.'),
  from: time.describe('Start of the 24 hours that it covers.'),
  to: time,
  jobs: z
    .array(
      Ended.extend({
        kind: z.string(),
        before: Ended.describe('The same for the previous 24 hours.'),
        typicalSeconds: z.number().nullable().describe('Median of the time from start to end.'),
        slowSeconds: z.number().nullable().describe('95th percentile of the same time.'),
      }),
    )
    .describe('Ended jobs by kind: most failures first, then the slowest.'),
  errors: z
    .array(z.object({ kind: z.string(), title: z.string(), count, lastJobId: z.string() }))
    .describe('The most frequent errors.'),
  syncs: z
    .array(
      z.object({
        kind: z.string(),
        runs: count,
        read: count,
        created: count,
        updated: count,
        deleted: count,
        failed: count,
        calls: count.describe('Requests to outside systems.'),
      }),
    )
    .describe('Ended synchronisations without dry runs.'),
  held: z
    .array(z.object({ jobId: z.string(), kind: z.string(), heldAt: time, hours: z.number().min(0) }))
    .describe('Held runs, which wait for a decision.'),
  fires: z
    .array(z.object({ schedule: z.string(), outcome: z.string(), count }))
    .describe('Due times of schedules without a job, or with a late one.'),
  systems: z
    .array(z.object({ system: z.string(), calls: count, faults: count }))
    .describe('Calls and faults, counted by the running processes since their start.'),
  unknownEffects: z
    .array(z.object({ kind: z.string(), count }))
    .describe(
      'Effects in outside systems that may or may not have happened and are not retried; a person must check them.',
    ),
  sms: z.object({
    sent: count,
    unknown: count.describe('May have been sent.'),
    parts: count.describe('Billed parts.'),
    balance: z.object({ amount: z.number(), currency: z.string(), askedAt: time }).nullable(),
  }),
  links: z.object({
    created: count,
    clicks: count.describe('By people.'),
    scans: count.describe('Scans of QR codes, included in the clicks.'),
    most: z.array(z.object({ name: z.string(), slug: z.string(), clicks: count })),
  }),
  alerts: z.array(Alert).describe('Open alerts.'),
  unusedClients: z
    .array(z.object({ clientId: z.string(), name: z.string(), lastUsedAt: time.nullable() }))
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
