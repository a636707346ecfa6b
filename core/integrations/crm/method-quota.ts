/** The CRM's second limit: the run time of each method in ten minutes. A method that exceeds it is blocked. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callContext, maxWaitMs, waitingFor } from '../kit/call-context.ts';
import { nameOf, type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import { msUntilReset, type UsedTime } from './wire/envelope.ts';

/** The CRM blocks at 480 s; background work stops before and leaves the rest to interactive calls. */
const maxBackgroundSeconds = 400;
/** The CRM counts in buckets of a minute: after one, some run time is free again. */
const bucketMs = 60_000;
/** The CRM counts the run time of ten minutes, and returns resets in whole seconds of its own clock. */
const blockMs = { min: 1_000, max: 10 * 60_000 };

export type MethodQuota = ReturnType<typeof openMethodQuota>;

export function openMethodQuota(system: SystemName) {
  const blockedUntil = new Map<string, number>();
  const backgroundUntil = new Map<string, number>();
  const resetAt = new Map<string, number>();

  function waitMs(method: string, priority: 'interactive' | 'background'): number {
    const blocked = blockedUntil.get(method) ?? 0;
    const until = priority === 'background' ? Math.max(blocked, backgroundUntil.get(method) ?? 0) : blocked;
    return until - Date.now();
  }

  function msUntilKnownReset(method: string): number {
    const ms = (resetAt.get(method) ?? 0) - Date.now();
    return ms > 0 ? ms : bucketMs;
  }

  return {
    /** Waits until the methods may be called. @throws UpstreamError when the caller would wait too long */
    async wait(methods: Iterable<string>): Promise<void> {
      const { priority, signal } = callContext();
      const ms = Math.max(0, ...[...methods].map(method => waitMs(method, priority)));
      if (ms === 0) return;
      if (ms > maxWaitMs[priority]) throw quotaExhausted(system, ms);
      await waitingFor(`run time of ${nameOf(system)}`, () => sleep(ms, undefined, signal ? { signal } : {}));
    },

    /** @param time the run time that the CRM returned with an answer */
    record(method: string, time: UsedTime | undefined): void {
      const ms = time && msUntilReset(time);
      if (ms !== undefined) resetAt.set(method, Date.now() + ms);
      if (time?.operating === undefined || time.operating < maxBackgroundSeconds) return;
      backgroundUntil.set(method, Date.now() + (ms ?? bucketMs));
    },

    /** The CRM has blocked the method; default: until the reset that it last returned, or a minute. */
    block(method: string, ms = msUntilKnownReset(method)): void {
      blockedUntil.set(method, Date.now() + Math.min(Math.max(ms, blockMs.min), blockMs.max));
    },
  };
}

const quotaExhausted = ({ name, title }: SystemName, retryAfterMs: number): UpstreamError =>
  new UpstreamError('upstream-unavailable', `${title} has no run time left for this method; try again later.`, {
    kind: 'paused',
    system: name,
    retryAfterMs,
  });
