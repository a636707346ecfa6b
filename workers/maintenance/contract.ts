/** Job family `maintenance`: what is kept for a time only is deleted when that is over. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';

export const TaskReport = z.object({
  task: z.string(),
  counts: z.record(z.string(), z.int().min(0)).describe('What was deleted or found, by what it is.'),
  finished: z.boolean().describe('False: its time was over before all was done; the next run goes on.'),
  ms: z.int().min(0),
});
export type TaskReport = z.infer<typeof TaskReport>;

export default defineJob({
  kind: 'maintenance',
  subject: 'service',
  summary:
    'Deletes what is past its retention: results, idempotency keys, tokens, jobs, effects, checks, fires; ends held jobs that nobody released. Each task is bounded in time, and the next run goes on where it stopped.',
  payload: z.object({}),
  result: z.object({ tasks: z.array(TaskReport) }),
  attempts: 3,
  backoffMs: 30_000,
  timeoutMs: 30 * 60_000,
  concurrency: 1,
  exclusive: () => 'all',
  schedules: [
    {
      name: 'maintenance',
      summary: 'Deletes what is past its retention.',
      cron: '17,47 * * * *',
      missed: 'latest',
      payload: {},
    },
  ],
});
