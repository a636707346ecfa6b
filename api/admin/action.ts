/** What operations do from their pages: each act is told first, with its numbers, and done when that is confirmed. */
import type { Actor } from '../../core/runtime/actor.ts';

interface Confirmation {
  /** Asks whether it is to be done. */
  title: string;
  /** What comes of it. */
  what: string;
  facts: { label: string; value: string }[];
  reasons: string[];
  /** On the button. */
  confirm: string;
  /** Cannot be taken back. */
  isGrave: boolean;
  /** What the person looked at: an act is refused when it is another by the time of the confirmation. */
  seen: string;
  /** The page that it was asked for on, below `/ops`. */
  back: string;
}

export interface PreparedAct {
  confirmation: Confirmation;
  /** Leaves a row in the audit trail. @returns the page to go on with, below `/ops` */
  carryOut(by: Actor): Promise<string>;
}

/** What the page that follows says of an act that was done, by the word in its address. */
export const doneSentences: ReadonlyMap<string, string> = new Map([
  ['released', 'Released: the job goes on with its plan.'],
  ['dropped', 'Dropped: the job was cancelled and its plan will not be carried out.'],
  ['cancelled', 'The job was cancelled.'],
  ['stopping', 'The job was told to stop; it does so within seconds.'],
  ['retried', 'The job waits to be run again.'],
  ['made', 'The schedule’s job was made.'],
  ['at-work', 'The schedule made no job: this one of it is still at work.'],
  ['paused', 'The schedule is paused.'],
  ['resumed', 'The schedule fires again.'],
]);
