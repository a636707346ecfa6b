/** How much an outside system lets all our processes call it together, and who of us goes first. */
import { setTimeout as sleep } from 'node:timers/promises';
import { limiterWaitSeconds } from '../../telemetry/meter.ts';
import { callScope } from './call-context.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

/** A leaky bucket: it holds `capacity` calls and drains `perSecond` of them each second. */
export interface CallBudget {
  name: string;
  capacity: number;
  perSecond: number;
  /** The part of the capacity that background work leaves to interactive calls, so that these need not wait. */
  reserve: number;
}

/** Where the level of each bucket is kept, for all processes. */
export interface CallBudgets {
  /** Takes one call out of the budget, or tells how long to wait before asking again, in ms. */
  take(
    budget: Pick<CallBudget, 'name' | 'perSecond'>,
    limit: number,
  ): Promise<{ waitMs: number } | undefined>;
  /** Lets nobody take for a time: the system said so. */
  block(name: string, ms: number): Promise<void>;
}

export interface Turnstile {
  /** Waits until a call may be sent. @throws UpstreamError when an interactive caller would wait too long */
  pass(): Promise<void>;
  block(ms: number): Promise<void>;
}

/** An interactive caller is told to come back rather than kept longer than this, in ms. */
const interactivePatienceMs = 10_000;

/** Callers of one process pass in the order they came, those of each priority apart. */
export function openTurnstile(system: SystemName, budget: CallBudget, budgets: CallBudgets): Turnstile {
  const lines = { interactive: Promise.resolve(), background: Promise.resolve() };

  async function takeTurn(): Promise<void> {
    const { priority, signal } = callScope();
    const limit = budget.capacity - (priority === 'background' ? budget.reserve : 0);
    const until = priority === 'interactive' ? Date.now() + interactivePatienceMs : Number.POSITIVE_INFINITY;
    for (;;) {
      signal?.throwIfAborted();
      const refused = await budgets.take(budget, limit);
      if (!refused) return;
      if (Date.now() + refused.waitMs > until) throw budgetUsedUp(system, refused.waitMs);
      await sleep(Math.ceil(refused.waitMs), undefined, signal ? { signal } : {});
    }
  }

  return {
    pass() {
      const { priority } = callScope();
      const stop = limiterWaitSeconds.startTimer({ system: system.name, priority });
      const turn = lines[priority].then(takeTurn).finally(stop);
      lines[priority] = turn.catch(() => undefined);
      return turn;
    },
    block: ms => budgets.block(budget.name, ms),
  };
}

const budgetUsedUp = (system: SystemName, retryAfterMs: number): UpstreamError =>
  new UpstreamError(
    'upstream-unavailable',
    `${system.title} allows no more calls for now; try again later.`,
    {
      system: system.name,
      passing: true,
      mayHaveRun: false,
      overLimit: true,
      retryAfterMs,
    },
  );
