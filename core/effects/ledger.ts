/**
 * Things that must happen once in an outside system, though jobs are delivered at least once: the effect is claimed in
 * the ledger before the call and settled after it. A repeat finds the settled one; one whose end nobody wrote down is
 * looked up at the system before anything is sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { callScope, withFence } from '../integrations/kit/call-context.ts';
import type { Database } from '../postgres/client.ts';
import { ServiceError } from '../runtime/errors.ts';
import { type Additions, addLacking } from './append-missing.ts';
import { hasEnded, surelyDidNotRun } from './call-outcome.ts';
import { askAgainMs, leaseSeconds, patienceMs, renewEveryMs, signalOption, stillAtIt } from './lease.ts';
import { createHeldRecordRows } from './record-locks.ts';
import { createEffectRows, type Effect, type EffectRows } from './rows.ts';

export interface OnceOnly<R extends z.ZodType> extends Effect {
  /** What is kept of the result; small, and no more of a person than needed. */
  result: R;
  /**
   * Finds at the outside system what an earlier try may have done. Where the system has no such look-up, leave it
   * out: a try whose end is unknown is then never repeated.
   */
  lookUp?: () => Promise<z.input<R> | undefined>;
  act: () => Promise<z.input<R>>;
}

export interface Effects {
  /**
   * @returns `repeated` when it had happened before
   * @throws ServiceError `conflict` when somebody else is at it for too long, or when it may have happened and nobody
   * can find out
   */
  once<R extends z.ZodType>(effect: OnceOnly<R>): Promise<{ result: z.output<R>; repeated: boolean }>;
  /**
   * For jobs: who waits for an answer would wait too long where what was sent before may still take effect.
   * @throws ServiceError `conflict` when somebody else is at one of the records for too long
   */
  addLacking<Lack>(additions: Additions<Lack>): Promise<void>;
}

export interface EffectTimes {
  /**
   * How long, after the claim on a try has ended, the outside system may still be at work on what that try sent: until
   * then "not found" does not mean "not done".
   */
  settlingSeconds: number;
}

/** Nothing is sent in the last moments of a claim, in ms. */
const lastMomentsMs = 5_000;

export function createEffects(database: Database, logger: Logger, { settlingSeconds }: EffectTimes): Effects {
  const times = { leaseSeconds, settlingSeconds };
  const rows = createEffectRows(database, times);
  const records = createHeldRecordRows(database, times);
  return {
    once: effect => once(rows, effect, logger),
    addLacking: additions => addLacking(records, additions, logger),
  };
}

async function once<R extends z.ZodType>(rows: EffectRows, effect: OnceOnly<R>, logger: Logger) {
  const until = Date.now() + patienceMs;
  for (;;) {
    const askedAt = performance.now();
    const claim = await rows.claim(effect, callScope().run);
    if (claim.state === 'settled') return { result: effect.result.parse(claim.result), repeated: true };
    if (claim.state === 'unknown') throw nobodyKnows(effect);
    if (claim.state === 'ours') return await underClaim(rows, effect, { ...claim, askedAt }, logger);
    if (Date.now() > until) throw stillAtIt(effect.kind);
    await sleep(askAgainMs, undefined, signalOption());
  }
}

/** A claim that is ours. */
interface OwnClaim {
  claimId: string;
  /** Whether somebody tried before, and how much longer what they sent may take effect, in ms. */
  earlier: { mayRunForMs: number } | undefined;
  /** When it was asked for, by `performance.now()`. */
  askedAt: number;
}

async function underClaim<R extends z.ZodType>(
  rows: EffectRows,
  effect: OnceOnly<R>,
  claim: OwnClaim,
  logger: Logger,
) {
  const { claimId } = claim;
  const hold = holdClaim(rows, effect, claim);
  const renewing = setInterval(() => {
    hold.renew().catch(error => logger.warn({ err: error }, 'a claim was not renewed'));
  }, renewEveryMs);
  try {
    const found = claim.earlier && (await lookUpEarlier(rows, effect, claimId, claim.earlier));
    const result = effect.result.parse(
      found ?? (await withFence(hold.fence, () => actOrFind(rows, effect, claimId))),
    );
    await rows.settle(effect.key, claimId, result);
    return { result, repeated: found !== undefined };
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Knows how long the claim is surely ours. A process that was stopped in its tracks may wake up after others have taken
 * its place; it must not send then what it was about to send.
 */
function holdClaim(rows: EffectRows, effect: Effect, { claimId, askedAt }: OwnClaim) {
  const leaseMs = leaseSeconds * 1_000;
  let oursUntil = askedAt + leaseMs;
  const renew = async () => {
    const at = performance.now();
    if (await rows.renew(effect.key, claimId)) oursUntil = at + leaseMs;
  };
  const isOurs = () => performance.now() < oursUntil - lastMomentsMs;
  return {
    renew,
    async fence() {
      if (isOurs()) return;
      await renew();
      if (!isOurs()) throw stillAtIt(effect.kind);
    },
  };
}

/**
 * What is not there yet may still come, from a request that was sent before its process died: it is looked for again
 * when it cannot come any more.
 * @throws ServiceError when the system has no look-up: then it is never known
 */
async function lookUpEarlier<R extends z.ZodType>(
  rows: EffectRows,
  effect: OnceOnly<R>,
  claimId: string,
  { mayRunForMs }: NonNullable<OwnClaim['earlier']>,
) {
  if (!effect.lookUp) {
    await rows.giveUp(effect.key, claimId);
    throw nobodyKnows(effect);
  }
  const over = performance.now() + mayRunForMs;
  const left = () => Math.max(0, over - performance.now());
  try {
    const found = await effect.lookUp();
    if (found !== undefined || mayRunForMs === 0) return found;
    if (callScope().priority === 'interactive' && left() > 0) throw mayStillCome(effect, left());
    await sleep(left(), undefined, signalOption());
    return await effect.lookUp();
  } catch (error) {
    await rows.leaveOpen(effect.key, claimId, left());
    throw error;
  }
}

async function actOrFind<R extends z.ZodType>(rows: EffectRows, effect: OnceOnly<R>, claimId: string) {
  try {
    return await effect.act();
  } catch (error) {
    if (surelyDidNotRun(error)) {
      await rows.release(effect.key, claimId);
      throw error;
    }
    const found = await effect.lookUp?.().catch(() => undefined);
    if (found !== undefined) return found;
    await (effect.lookUp
      ? rows.leaveOpen(effect.key, claimId, hasEnded(error) ? 0 : undefined)
      : rows.giveUp(effect.key, claimId));
    throw error;
  }
}

const nobodyKnows = ({ kind }: Effect): ServiceError =>
  new ServiceError(
    'conflict',
    `This was tried before, and it is not known whether it took effect (${kind}); it is not repeated.`,
  );

const mayStillCome = ({ kind }: Effect, leftMs: number): ServiceError =>
  new ServiceError(
    'conflict',
    `This was tried before, and may still take effect (${kind}); send it again to learn what came of it.`,
    { passing: true, retryAfterSeconds: Math.ceil(leftMs / 1_000) },
  );
