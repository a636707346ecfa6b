/** Which schedules run by the clock. */
import { z } from 'zod';
import type { ScheduleContract } from '../jobs/contract.ts';
import { commaSeparated, isSet } from '../runtime/config.ts';
import type { ServiceConfig } from '../runtime/service-config.ts';

export const ScheduleConfig = z.object({
  SCHEDULES_OFF: z
    .string()
    .regex(/^[a-z][a-z0-9-]*(\s*,\s*[a-z][a-z0-9-]*)*$/, 'must be `all` or comma-separated schedule names')
    .transform(commaSeparated)
    .optional()
    .describe('Schedules that do not run by the clock: comma-separated names, or `all`.'),
});
export type ScheduleConfig = z.infer<typeof ScheduleConfig>;

export const OffReason = z.enum(['SCHEDULES_OFF', 'not configured']);
export type OffReason = z.infer<typeof OffReason>;

/** Undefined: the schedule runs by the clock. One that is off can still be run manually. */
export function offReasonOf(
  { name, systems = [] }: Pick<ScheduleContract, 'name' | 'systems'>,
  { SCHEDULES_OFF: off = [], NODE_ENV }: ScheduleConfig & Pick<ServiceConfig, 'NODE_ENV'>,
): OffReason | undefined {
  if (off.includes('all') || off.includes(name)) return 'SCHEDULES_OFF';
  // In development the sandbox serves them.
  return NODE_ENV === 'production' && !systems.every(variable => isSet(variable)) ? 'not configured' : undefined;
}
