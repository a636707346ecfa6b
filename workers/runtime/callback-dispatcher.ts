/** Delivers callbacks while the worker runs: as soon as a job has ended, and whenever a further try is due. */

import type { Parts } from '../../core/app.ts';
import { openDelivery } from '../../core/callbacks/deliver.ts';
import { callbackChannel, createJobCallbacks } from '../../core/callbacks/outbox.ts';
import type { AllowRule } from '../../core/egress/allow-rules.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { listen } from '../../core/postgres/listen.ts';
import { type Repetition, repeat } from '../../core/runtime/interval.ts';

export type CallbackParts = Pick<
  Parts,
  'callbackSecrets' | 'database' | 'databaseUrl' | 'events' | 'logger' | 'records'
>;

export interface CallbackOptions {
  /** The service's address with its base path, for the links in callbacks. */
  baseUrl: string;
  /** Waits before each further try. */
  retrySeconds: readonly number[];
  /** Exceptions to the guard on where callbacks may go. */
  allow: readonly AllowRule[];
}

/** Notifications can be missed, and further tries are announced by nobody. */
const lookEveryMs = 1_000;

export function tellCallbacks(parts: CallbackParts, options: CallbackOptions): Repetition {
  const { callbackSecrets: secrets, events, logger, records } = parts;
  const fetcher = createGuardedFetch({ allow: options.allow, logger });
  const callbacks = createJobCallbacks(parts.database);
  const delivery = openDelivery({ callbacks, secrets, records, events, fetcher, logger }, options, () =>
    looking.now(),
  );
  const looking = repeat('callbacks', lookEveryMs, logger, () => delivery.begin());
  const ends = listen(parts.databaseUrl, callbackChannel, () => looking.now(), { logger });

  return {
    now: looking.now,
    async stop() {
      await ends.close();
      await looking.stop();
      await delivery.idle();
      await fetcher.close();
    },
  };
}
