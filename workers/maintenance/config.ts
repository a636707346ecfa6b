/** How long what is kept for a time is kept. */
import { z } from 'zod';
import { wholeNumber } from '../../core/runtime/config.ts';

export const MaintenanceConfig = z.object({
  JOB_RETENTION_DAYS: wholeNumber(1, 3_650)
    .default(90)
    .describe(
      'How long a job that has ended is kept, with its events, report, plan and input; its file goes earlier, by RESULT_RETENTION_HOURS.',
    ),
  HELD_JOB_DAYS: wholeNumber(1, 365)
    .default(14)
    .describe('How long a held job waits to be released; then it is cancelled.'),
  EFFECT_RETENTION_DAYS: wholeNumber(90, 3_650)
    .default(400)
    .describe(
      'How long the ledger keeps what was done once in outside systems; asked for again after that, it would be done again.',
    ),
  SCHEDULE_HISTORY_DAYS: wholeNumber(1, 3_650)
    .default(400)
    .describe('How long the fires of schedules are kept.'),
  TELEPHONY_RETENTION_DAYS: wholeNumber(31, 36_500)
    .default(1_095)
    .describe('How long SMS (without number and text) and do-not-call checks are kept as proof.'),
  CLICK_RETENTION_DAYS: wholeNumber(1, 36_500)
    .optional()
    .describe('How long clicks on short links are kept; unset: for good, as they tell of nobody.'),
});
export type MaintenanceConfig = z.infer<typeof MaintenanceConfig>;
