/**
 * Additions to records of an outside system that adds the same once more each time it is told, such as a phone to a lead.
 * One process at a time holds a record, reads it, and sends only what it lacks; where it is not known whether that took
 * effect, it is read again before anything is sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { callScope, withFence } from '../integrations/kit/call-context.ts';
import { retryDelayMs, retryLimit } from '../integrations/kit/retry.ts';
import { hasEnded, surelyDidNotRun } from './call-outcome.ts';
import { askAgainMs, patienceMs, renewEveryMs, signalOption, stillAtIt } from './lease.ts';
import type { HeldRecordRows, Hold, RecordGroup } from './record-locks.ts';

export interface Additions<Lack> extends RecordGroup {
  /** Reads the records anew. @returns undefined when they lack nothing (any more) */
  findLack: () => Promise<Lack | undefined>;
  /** Calls the outside system with connectors that repeat only what surely did not run. */
  add: (lack: Lack) => Promise<void>;
}

/** @throws ServiceError `conflict`, passing, when somebody else is at one of the records for too long */
export async function addLacking<Lack>(
  rows: HeldRecordRows,
  additions: Additions<Lack>,
  logger: Logger,
): Promise<void> {
  const hold = openHold(rows, additions, await claimed(rows, additions));
  const renewing = setInterval(() => {
    hold.renew().catch(error => logger.warn({ err: error }, 'a claim was not renewed'));
  }, renewEveryMs);
  try {
    await underHold(hold, additions);
  } finally {
    clearInterval(renewing);
    await hold.end();
  }
}

type OwnHold = Extract<Hold, { state: 'ours' }>;

async function claimed(rows: HeldRecordRows, group: RecordGroup): Promise<OwnHold> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const claim = await rows.claim(group, callScope().run);
    if (claim.state === 'ours') return claim;
    if (Date.now() > until) throw stillAtIt(group.kind);
    await sleep(askAgainMs, undefined, signalOption());
  }
}

function openHold(rows: HeldRecordRows, { keys, kind }: RecordGroup, { claimId, mayRunForMs }: OwnHold) {
  let settledAt = performance.now() + mayRunForMs;
  const leftMs = () => Math.max(0, settledAt - performance.now());
  const renew = () => rows.renew(keys, claimId);
  return {
    renew,
    /** How long what was sent may still take effect. */
    leftMs,
    mayHaveRun(error: unknown) {
      const mayRunMs = hasEnded(error) ? 0 : rows.settlingMs;
      settledAt = Math.max(settledAt, performance.now() + mayRunMs);
    },
    /** A process that was stopped in its tracks may wake up after others have taken its place. */
    async fence() {
      if (!(await renew())) throw stillAtIt(kind);
    },
    end: () => (leftMs() > 0 ? rows.leaveOpen(keys, claimId, leftMs()) : rows.release(keys, claimId)),
  };
}

async function underHold<Lack>(
  hold: ReturnType<typeof openHold>,
  { findLack, add }: Additions<Lack>,
): Promise<void> {
  const { priority } = callScope();
  let sends = 0;
  let failure: unknown;
  for (;;) {
    const lack = await findLack();
    if (lack === undefined) return;
    if (sends > retryLimit(priority)) throw failure;
    if (hold.leftMs() > 0) {
      // What is not there yet may still come: it is looked for again when it cannot come any more.
      await sleep(hold.leftMs(), undefined, signalOption());
      continue;
    }
    sends += 1;
    try {
      return await withFence(hold.fence, () => add(lack));
    } catch (error) {
      if (surelyDidNotRun(error)) throw error;
      hold.mayHaveRun(error);
      failure = error;
      await sleep(retryDelayMs(sends, error, priority), undefined, signalOption());
    }
  }
}
