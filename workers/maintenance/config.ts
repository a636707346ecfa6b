/** Retention periods. */
import { z } from 'zod';
import { wholeNumber } from '../../core/runtime/config.ts';

export const MaintenanceConfig = z.object({
  JOB_RETENTION_DAYS: wholeNumber(1, 3_650)
    .default(90)
    .describe(
      'How long an ended job is stored, with its events, report, plan and input; its file is deleted earlier, see RESULT_RETENTION_HOURS.',
    ),
  HELD_JOB_DAYS: wholeNumber(1, 365).default(14).describe('How long a held job can be released; then it is cancelled.'),
  EFFECT_RETENTION_DAYS: wholeNumber(90, 3_650)
    .default(400)
    .describe(
      'How long the ledger of effects in outside systems is stored; a request repeated after that is executed again.',
    ),
  TELEPHONY_RETENTION_DAYS: wholeNumber(31, 36_500)
    .default(1_095)
    .describe('How long SMS (without number and text) and do-not-call checks are stored as proof.'),
  CLICK_RETENTION_DAYS: wholeNumber(1, 36_500)
    .optional()
    .describe(
      'How long clicks on short links are stored and counted. Unset: indefinitely, as they contain no personal data.',
    ),
});
export type MaintenanceConfig = z.infer<typeof MaintenanceConfig>;
