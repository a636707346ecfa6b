/**
 * The accounts that a job set out to cut off, and how each stood before: kept from run to run, since nobody can tell any
 * more once the account is changed, or gone.
 */
import { z } from 'zod';
import type { LookedUp } from '../../core/domain/terminations/look-up.ts';
import { AccountState, TerminationSystem } from '../../core/domain/terminations/termination.ts';
import type { Checkpoint } from '../../core/jobs/handler.ts';

const Findings = z.partialRecord(
  TerminationSystem,
  z.object({
    id: z.string().nullable(),
    matchedBy: z.enum(['crmId', 'email']).nullable(),
    alike: z.array(z.string()),
    state: AccountState.nullable(),
    isCutOff: z.boolean(),
  }) satisfies z.ZodType<LookedUp>,
);

export interface Findings {
  of(system: TerminationSystem): LookedUp | undefined;
  /** Once this returns the finding is kept. */
  keep(system: TerminationSystem, finding: LookedUp): Promise<void>;
}

export async function openFindings(checkpoint: Checkpoint): Promise<Findings> {
  let found = Findings.parse((await checkpoint.read()) ?? {});
  let writing: Promise<void> = Promise.resolve();
  return {
    of: system => found[system],
    keep(system, finding) {
      found = { ...found, [system]: finding };
      // In line, because the systems are worked on side by side and each write holds them all.
      writing = writing.then(() => checkpoint.write(found));
      return writing;
    },
  };
}
