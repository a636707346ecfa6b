/** Tells operations by mail, each morning, how the last day went. */
import { z } from 'zod';
import { Alert } from '../../core/alerts/alert.ts';
import { defineJob } from '../../core/jobs/contract.ts';

const count = z.int().min(0);
const time = z.iso.datetime();

const Ended = z.object({ succeeded: count, failed: count, cancelled: count });

export const Digest = z.object({
  day: z.iso.date().describe('The day in Asia/Dubai on which it was made.'),
  from: time.describe('The 24 hours that it tells of.'),
  to: time,
  jobs: z
    .array(
      Ended.extend({
        kind: z.string(),
        before: Ended.describe('The same in the 24 hours before.'),
        typicalSeconds: z.number().nullable().describe('Median of the time from begin to end.'),
        slowSeconds: z.number().nullable().describe('One job in twenty took longer.'),
      }),
    )
    .describe('Jobs that ended, those with most failures first, then the slowest.'),
  errors: z
    .array(z.object({ kind: z.string(), title: z.string(), count, lastJobId: z.string() }))
    .describe('What failed most.'),
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
    .describe('Synchronisations that came to an end, dry runs apart.'),
  held: z
    .array(z.object({ jobId: z.string(), kind: z.string(), heldAt: time, hours: z.number().min(0) }))
    .describe('Runs that wait for a person’s decision.'),
  fires: z
    .array(z.object({ schedule: z.string(), outcome: z.string(), count }))
    .describe('Due times of schedules that made no job, or made it late.'),
  systems: z
    .array(z.object({ system: z.string(), calls: count, faults: count }))
    .describe('Calls and faults as the processes that live now have counted them since they started.'),
  unknownEffects: z
    .array(z.object({ kind: z.string(), count }))
    .describe('What may or may not have happened outside, and is not tried again: for a person to look up.'),
  sms: z.object({
    sent: count,
    unknown: count.describe('May have been sent.'),
    parts: count.describe('What is billed.'),
    balance: z.object({ amount: z.number(), currency: z.string(), askedAt: time }).nullable(),
  }),
  links: z.object({
    created: count,
    clicks: count.describe('By people.'),
    scans: count.describe('QR codes, among the clicks.'),
    most: z.array(z.object({ name: z.string(), slug: z.string(), clicks: count })),
  }),
  alerts: z.array(Alert).describe('Those that are open.'),
  unusedClients: z
    .array(z.object({ clientId: z.string(), name: z.string(), lastUsedAt: time.nullable() }))
    .describe('Active clients that were not used for 90 days: they may be of no use any more.'),
});
export type Digest = z.infer<typeof Digest>;

export const SentDigest = Digest.extend({
  mail: z
    .enum(['sent', 'sent-before', 'not-configured'])
    .describe('`sent-before`: there was a digest on this day already, and nobody gets two.'),
});
export type SentDigest = z.infer<typeof SentDigest>;

export default defineJob({
  kind: 'ops-digest',
  subject: 'service',
  summary: 'Tells operations by mail how the last 24 hours went, once a day.',
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
      summary: 'Tells operations by mail how the last 24 hours went.',
      cron: '0 8 * * *',
      missed: 'latest',
      payload: {},
    },
  ],
});
