/** Delivers callbacks while the worker runs: right after a job has ended, and when a retry is due. */
import type { AppContext } from '../../core/app.ts';
import { type DeliveryOptions, openDelivery } from '../../core/callbacks/deliver.ts';
import { createCallbackOutbox } from '../../core/callbacks/outbox.ts';
import type { AllowRule } from '../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { type Interval, startInterval } from '../../core/runtime/interval.ts';

export type CallbackContext = Pick<
  AppContext,
  'callbackSecrets' | 'changes' | 'database' | 'events' | 'logger' | 'records'
>;

export interface CallbackOptions extends DeliveryOptions {
  /** Exceptions to the rules on addresses of callbacks. */
  allow: readonly AllowRule[];
}

/** Announcements can be lost, and retries are not announced. */
const pollEveryMs = 1_000;

export function startCallbackDispatcher(
  context: CallbackContext,
  options: CallbackOptions,
): Pick<Interval, 'runNow' | 'stop'> {
  const { callbackSecrets: secrets, database, events, logger, records } = context;
  const fetcher = createGuardedFetch({ allow: options.allow, logger });
  const outbox = createCallbackOutbox(database);
  const delivery = openDelivery({ outbox, secrets, records, events, fetcher, logger }, options, () => polling.runNow());
  const polling = startInterval('callbacks', pollEveryMs, logger, () => delivery.startDue());
  const ends = context.changes.subscribe('job_callback', () => polling.runNow());

  return {
    runNow: polling.runNow,
    async stop() {
      await ends.close();
      await polling.stop();
      await delivery.idle();
      await fetcher.close();
    },
  };
}
