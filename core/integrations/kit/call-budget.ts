/** Rate limits of vendor systems, shared by all processes: leaky buckets in PostgreSQL, on its one clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../../postgres/client.ts';
import { untilAborted } from '../../runtime/timeout.ts';
import { limiterWaitSeconds } from '../../telemetry/meter.ts';
import { callContext, maxWaitMs, waitingFor } from './call-context.ts';
import { nameOf, type SystemName, UpstreamError } from './upstream-error.ts';

/** A leaky bucket: it holds `capacity` calls and drains `perSecond` of them each second. */
export interface CallBudget {
  name: string;
  capacity: number;
  perSecond: number;
  /** The part of the capacity that background work leaves to interactive calls. */
  reserve: number;
}

export type CallBudgets = ReturnType<typeof createCallBudgets>;
export type RateGate = ReturnType<typeof openRateGate>;

const Taken = z.object({ granted: z.boolean(), wait_ms: z.coerce.number() });

export function createCallBudgets(database: Database) {
  /** The buckets whose row exists. */
  const known = new Set<string>();

  async function ensureRow(name: string): Promise<void> {
    if (known.has(name)) return;
    await database.execute(sql`insert into call_budget (name) values (${name}) on conflict do nothing`);
    known.add(name);
  }

  return {
    /** Takes one call if the bucket then holds at most `limit`; else returns the time until it may, in ms. */
    async take(budget: Pick<CallBudget, 'name' | 'perSecond'>, limit: number): Promise<{ waitMs: number } | undefined> {
      await ensureRow(budget.name);
      const { rows } = await database.execute(sql`
        with bucket as (
          select level, at, blocked_until from call_budget where name = ${budget.name} for update
        ), drained as (
          select greatest(at, clock_timestamp()) as now,
            greatest(0, level - ${budget.perSecond}::float8
              * greatest(0, extract(epoch from clock_timestamp() - at))) as level,
            greatest(0, extract(epoch from blocked_until - clock_timestamp())) as blocked
          from bucket
        ), decided as (
          select *, coalesce(blocked, 0) = 0 and level + 1 <= ${limit}::float8 as granted from drained
        ), written as (
          update call_budget set level = decided.level + 1, at = decided.now
          from decided where name = ${budget.name} and granted
        )
        select granted, 1000 * greatest(
          coalesce(blocked, 0), (level + 1 - ${limit}::float8) / ${budget.perSecond}::float8) as wait_ms
        from decided`);
      const [row] = rows;
      if (!row) {
        // Maintenance has deleted the row of a bucket that was unused for long.
        known.delete(budget.name);
        return await this.take(budget, limit);
      }
      const { granted, wait_ms } = Taken.parse(row);
      return granted ? undefined : { waitMs: wait_ms };
    },

    /** Stops all calls for a time, as the system asked; does not shorten an earlier block. */
    async block(name: string, ms: number): Promise<void> {
      await ensureRow(name);
      await database.execute(sql`
        update call_budget
        set blocked_until = greatest(blocked_until, clock_timestamp() + ${ms} * interval '1 millisecond')
        where name = ${name}`);
    },
  };
}

/** Callers of one process pass in the order they came, one queue for each priority. */
export function openRateGate(system: SystemName, budget: CallBudget, budgets: CallBudgets) {
  const queues = { interactive: Promise.resolve(), background: Promise.resolve() };

  async function take(until: number): Promise<void> {
    const { priority, signal } = callContext();
    const limit = budget.capacity - (priority === 'background' ? budget.reserve : 0);
    for (;;) {
      signal?.throwIfAborted();
      const full = await budgets.take(budget, limit);
      if (!full) return;
      if (Date.now() + full.waitMs > until) throw budgetExhausted(system, full.waitMs);
      await sleep(Math.ceil(full.waitMs), undefined, signal ? { signal } : {});
    }
  }

  return {
    /** Waits until a call may be sent. @throws UpstreamError when the caller would wait too long */
    wait(): Promise<void> {
      const { priority, signal } = callContext();
      const stop = limiterWaitSeconds.startTimer({ system: system.name, priority });
      const until = Date.now() + maxWaitMs[priority];
      const taken = queues[priority].then(() => take(until)).finally(stop);
      queues[priority] = taken.catch(() => undefined);
      return waitingFor(`the rate limit of ${nameOf(system)}`, () => (signal ? untilAborted(taken, signal) : taken));
    },
    block: (ms: number) => budgets.block(budget.name, ms),
  };
}

const budgetExhausted = ({ name, title }: SystemName, retryAfterMs: number): UpstreamError =>
  new UpstreamError('upstream-unavailable', `${title} allows no more calls for now; try again later.`, {
    kind: 'paused',
    after: 'limit',
    system: name,
    retryAfterMs,
  });
