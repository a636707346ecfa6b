/** The whole plan of a held job, as `GET /jobs/{id}/plan` returns it. */
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { PlannedChanges, Release } from '../../core/jobs/record.ts';
import type { JobRecords } from '../../core/jobs/repository/repository.ts';

const Plan = z.object({
  plan: z.unknown(),
  changes: z.array(PlannedChanges),
  heldAt: z.iso.datetime(),
  released: Release.nullable(),
});

export async function readPlan(records: JobRecords, id: string): Promise<z.infer<typeof Plan> | undefined> {
  const held = await records.plan(id);
  return held && Plan.parse(JSON.parse((await buffer(records.planParts(id, held))).toString()));
}
