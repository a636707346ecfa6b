/** What a held run goes on with when a person releases it. */
import { z } from 'zod';
import { EmployeePlan } from './plan.ts';

export const HeldPlan = z.discriminatedUnion('mode', [
  z.object({ mode: z.literal('resync'), plan: EmployeePlan }),
  z.object({ mode: z.literal('delete-all'), records: z.int().describe('To be deleted.') }),
  z.object({ mode: z.literal('restore'), snapshotId: z.uuid() }),
]);
export type HeldPlan = z.infer<typeof HeldPlan>;
