/**
 * Things that must happen once in an outside system, though jobs are delivered at least once: the effect is claimed in
 * the ledger before the call and settled after it. A repeat finds the settled one; one whose end nobody wrote down is
 * looked up at the system before anything is sent again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Database } from './db/client.ts';
import { createEffectRows, type Effect, type EffectRows } from './db/effects.ts';
import { ServiceError } from './errors.ts';
import { callScope } from './systems/call-scope.ts';
import { UpstreamError } from './systems/upstream-error.ts';

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
}

/** A claim is renewed while its process lives; then it lasts this long. */
const leaseSeconds = 30;
const renewEveryMs = 10_000;
/** How long somebody else's claim is waited for, in ms: somewhat longer than it lasts when its process died. */
const patienceMs = 40_000;
const askAgainMs = 200;

export function createEffects(database: Database, logger: Logger): Effects {
  const rows = createEffectRows(database, leaseSeconds);
  return { once: effect => once(rows, effect, logger) };
}

async function once<R extends z.ZodType>(rows: EffectRows, effect: OnceOnly<R>, logger: Logger) {
  const until = Date.now() + patienceMs;
  for (;;) {
    const claim = await rows.claim(effect, callScope().run);
    if (claim.state === 'settled') return { result: effect.result.parse(claim.result), repeated: true };
    if (claim.state === 'unknown') throw nobodyKnows(effect);
    if (claim.state === 'ours') return await underClaim(rows, effect, claim, logger);
    if (Date.now() > until) throw stillAtIt(effect);
    await sleep(askAgainMs, undefined, signalOption());
  }
}

const signalOption = () => {
  const { signal } = callScope();
  return signal ? { signal } : {};
};

async function underClaim<R extends z.ZodType>(
  rows: EffectRows,
  effect: OnceOnly<R>,
  { claimId, first }: { claimId: string; first: boolean },
  logger: Logger,
) {
  const renewing = setInterval(() => {
    rows.renew(effect.key, claimId).catch(error => logger.warn({ err: error }, 'a claim was not renewed'));
  }, renewEveryMs);
  try {
    const found = first ? undefined : await lookUpEarlier(rows, effect, claimId);
    const result = effect.result.parse(found ?? (await actOrFind(rows, effect, claimId)));
    await rows.settle(effect.key, claimId, result);
    return { result, repeated: found !== undefined };
  } finally {
    clearInterval(renewing);
  }
}

/** @throws ServiceError when the system has no look-up: then it is never known */
async function lookUpEarlier<R extends z.ZodType>(rows: EffectRows, effect: OnceOnly<R>, claimId: string) {
  if (!effect.lookUp) {
    await rows.giveUp(effect.key, claimId);
    throw nobodyKnows(effect);
  }
  try {
    return await effect.lookUp();
  } catch (error) {
    await rows.leaveOpen(effect.key, claimId);
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
    await (effect.lookUp ? rows.leaveOpen(effect.key, claimId) : rows.giveUp(effect.key, claimId));
    throw error;
  }
}

/** Connectors turn refusals into our own errors; what is none of them may have broken off anywhere. */
function surelyDidNotRun(error: unknown): boolean {
  if (error instanceof UpstreamError) return !error.failure.mayHaveRun;
  return error instanceof ServiceError;
}

const nobodyKnows = ({ kind }: Effect): ServiceError =>
  new ServiceError(
    'conflict',
    `This was tried before, and it is not known whether it took effect (${kind}); it is not repeated.`,
  );

const stillAtIt = ({ kind }: Effect): ServiceError =>
  new ServiceError('conflict', `The same is being done by another process (${kind}).`, {
    passing: true,
    retryAfterSeconds: 5,
  });
