/** Job kind `maintenance`: deletes data past its retention. */
import { z } from 'zod';
import { defineJob } from '../../core/jobs/contract.ts';

export const TaskReport = z.object({
  task: z.string().describe('Name of the task.'),
  counts: z.record(z.string(), z.int().min(0)).describe('Deleted or found items by type.'),
  finished: z.boolean().describe('False: the time was over before all was done; the next run continues.'),
  ms: z.int().min(0).describe('Duration in milliseconds.'),
});
export type TaskReport = z.infer<typeof TaskReport>;

export default defineJob({
  kind: 'maintenance',
  subject: 'service',
  summary:
    'Deletes data past its retention: results, idempotency keys, tokens, jobs, effects, checks, schedule runs; cancels held jobs that were not released. Each task has a time limit, and the next run continues.',
  payload: z.object({}),
  result: z.object({ tasks: z.array(TaskReport).describe('What each task did.') }),
  attempts: 3,
  backoffMs: 30_000,
  timeoutMs: 30 * 60_000,
  concurrency: 1,
  exclusive: () => 'all',
  schedules: [
    {
      name: 'maintenance',
      summary: 'Deletes data past its retention.',
      cron: '17,47 * * * *',
      missed: 'latest',
      payload: {},
    },
  ],
});
