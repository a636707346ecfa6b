/** Which schedules are followed. */
import { z } from 'zod';

export const ScheduleConfig = z.object({
  SCHEDULES_OFF: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]*(\s*,\s*[a-z][a-z0-9-]*)*$/,
      'must be all, or names of schedules with commas between',
    )
    .transform(names => names.split(',').map(name => name.trim()))
    .optional()
    .describe('Schedules that do not fire by themselves: names with commas between, or all.'),
});
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

/** It can still be run by hand. */
export const isOff = (name: string, { SCHEDULES_OFF: off = [] }: ScheduleConfig): boolean =>
  off.includes('all') || off.includes(name);
