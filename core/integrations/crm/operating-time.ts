/** The CRM's second limit: the run time that each method may use in ten minutes. Who uses it up is shut out of that method. */
import { setTimeout as sleep } from 'node:timers/promises';
import { callScope } from '../kit/call-context.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import { msUntilReset, type UsedTime } from './wire/envelope.ts';

/** The CRM shuts out at 480 s; background work stops before, so that there is something left for interactive calls. */
const backgroundMayUseSeconds = 400;
/** The limit is kept in buckets of a minute: after one, some of it is free again. */
const oneBucketMs = 60_000;
/** An interactive caller is told to come back rather than kept longer than this, in ms. */
const interactivePatienceMs = 5_000;

export interface OperatingTime {
  /** Waits until the methods may be called. @throws UpstreamError when an interactive caller would wait too long */
  pass(methods: Iterable<string>): Promise<void>;
  note(method: string, time: UsedTime | undefined): void;
  /** The CRM has shut us out of the method. */
  shutOut(method: string, ms: number | undefined): void;
}

export function openOperatingTime(system: SystemName): OperatingTime {
  const shutUntil = new Map<string, number>();
  const backgroundUntil = new Map<string, number>();

  function waitMs(method: string, priority: 'interactive' | 'background'): number {
    const shut = shutUntil.get(method) ?? 0;
    const until = priority === 'background' ? Math.max(shut, backgroundUntil.get(method) ?? 0) : shut;
    return until - Date.now();
  }

  return {
    async pass(methods) {
      const { priority, signal } = callScope();
      const ms = Math.max(0, ...[...methods].map(method => waitMs(method, priority)));
      if (ms === 0) return;
      if (priority === 'interactive' && ms > interactivePatienceMs) throw usedUp(system, ms);
      await sleep(ms, undefined, signal ? { signal } : {});
    },
    note(method, time) {
      if (time?.operating === undefined || time.operating < backgroundMayUseSeconds) return;
      backgroundUntil.set(method, Date.now() + (msUntilReset(time) ?? oneBucketMs));
    },
    shutOut(method, ms = oneBucketMs) {
      shutUntil.set(method, Date.now() + ms);
    },
  };
}

const usedUp = ({ name, title }: SystemName, retryAfterMs: number): UpstreamError =>
  new UpstreamError(
    'upstream-unavailable',
    `${title} has no time left for calls of this sort; try again later.`,
    {
      system: name,
      passing: true,
      mayHaveRun: false,
      retryAfterMs,
    },
  );
