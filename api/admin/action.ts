/** Actions of operators: a page shows the effect with its numbers and asks for confirmation. */
import type { Actor } from '../../core/runtime/actor.ts';

interface Confirmation {
  /** A question. */
  title: string;
  effect: string;
  facts: { label: string; value: string }[];
  reasons: string[];
  /** Label of the button. */
  confirm: string;
  /** Cannot be undone. */
  isGrave: boolean;
  /** The state that the page shows; the action is rejected when it has changed before the confirmation. */
  seen: string;
  /** Page for "Cancel", below `/ops`. */
  back: string;
}

export interface PreparedAction {
  confirmation: Confirmation;
  /** Writes the audit trail. @returns the next page, below `/ops` */
  carryOut(by: Actor): Promise<string>;
}

/** Messages for the query parameter `done` of the page after an action. */
export const doneMessages: ReadonlyMap<string, string> = new Map([
  ['released', 'Released: the job carries out its plan.'],
  ['dropped', 'Dropped: the job was cancelled; its plan will not be carried out.'],
  ['cancelled', 'The job was cancelled.'],
  ['stopping', 'Cancellation was requested; the job stops within seconds.'],
  ['retried', 'The job waits for its next run.'],
  ['callback-due', 'The callback is sent again within seconds.'],
  ['made', 'The schedule’s job was started.'],
  ['existing', 'No job was started: this job of the schedule has not ended yet.'],
  ['paused', 'The schedule is paused.'],
  ['resumed', 'The schedule is active again.'],
]);
