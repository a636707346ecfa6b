/** Which schedules run by the clock. */
import { z } from 'zod';
import { commaSeparated } from '../runtime/config.ts';

export const ScheduleConfig = z.object({
  SCHEDULES_OFF: z
    .string()
    .regex(/^[a-z][a-z0-9-]*(\s*,\s*[a-z][a-z0-9-]*)*$/, 'must be `all` or comma-separated schedule names')
    .transform(commaSeparated)
    .optional()
    .describe('Schedules that do not run by the clock: comma-separated names, or `all`.'),
});
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

/** A schedule that is off can still be run manually. */
export const isOff = (name: string, { SCHEDULES_OFF: off = [] }: ScheduleConfig): boolean =>
  off.includes('all') || off.includes(name);
