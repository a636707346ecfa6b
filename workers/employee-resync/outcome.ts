/** What a run came to. */
import type { HeldPlan } from './held-plan.ts';

export interface Outcome {
  /** Not empty: nothing was changed. */
  heldBecause: string[];
  /** What a release goes on with; absent where nothing is held. */
  plan?: HeldPlan;
  listed: number;
  snapshotId: string | null;
}
