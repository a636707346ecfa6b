/** What the employee resync is set by. */
import { z } from 'zod';

export const EmployeeResyncConfig = z.object({
  EMPLOYEE_SNAPSHOT_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_650)
    .default(90)
    .describe('Days that a snapshot of the employee records is kept, from which they can be put back.'),
});
export type EmployeeResyncConfig = z.infer<typeof EmployeeResyncConfig>;
