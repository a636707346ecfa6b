/** Actions of operators: a page shows the effect with its numbers and asks for confirmation. */
import type { Actor } from '../../core/runtime/actor.ts';

interface Confirmation {
  /** A question. */
  title: string;
  effect: string;
  facts: { label: string; value: string }[];
  reasons: string[];
  /** One of them is chosen with the confirmation. */
  choices?: readonly { value: string; label: string }[];
  /** Label of the button. */
  confirm: string;
  /** Cannot be undone. */
  isGrave: boolean;
  /** The state that the page shows; the action is rejected when it has changed before the confirmation. */
  seen: string;
  /** Page for "Cancel", below `/ops`. */
  back: string;
}

/** The outcome of an action on several jobs. */
export interface ActionReport {
  title: string;
  groups: { title: string; isRefused: boolean; jobs: { id: string }[]; more: number }[];
  /** Page below `/ops`. */
  back: { path: string; label: string };
}

export interface PreparedAction {
  confirmation: Confirmation;
  /**
   * Writes the audit trail.
   * @param choice one of `choices`; empty without choices
   * @returns the next page, below `/ops`, or what to show
   */
  carryOut(by: Actor, choice: string): Promise<string | ActionReport>;
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
  ['snoozed', 'The alert is snoozed.'],
  ['unsnoozed', 'The snooze has ended: messages about the alert are sent again.'],
]);
