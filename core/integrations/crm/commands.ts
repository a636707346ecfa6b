/** Commands of a batch and their outcomes; repeats commands that the CRM could not execute for the moment. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallClass } from '../kit/call.ts';
import { callContext } from '../kit/call-context.ts';
import { retryDelayMs, retryLimit } from '../kit/resilience.ts';
import { type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import {
  type ErrorBody,
  operationTimeLimit,
  overload,
  type Parameters,
  pauseAfterLimitMs,
  queryLimit,
} from './wire/envelope.ts';

export interface Command {
  /** Later commands of the batch may refer to its result: `$result[key][…]`. */
  key: string;
  method: string;
  parameters: Parameters;
  /** Its parameters refer to earlier results; without it, `$result` in them is text of a user. */
  refersBack?: true;
}

/** `error`: the CRM will never accept the command. */
export type SettledOutcome =
  | { result: unknown; total: number | undefined }
  | { error: { code: string; message: string } };

/** `failure`: not executed for the moment, despite retries; with `maybeExecuted`, its effect is unknown. */
export type CommandOutcome = SettledOutcome | { failure: UpstreamError };

/** By the commands' keys. */
export type Outcomes = Map<string, CommandOutcome>;

/** The CRM sends no time for it. */
const pauseAfterOverloadMs = 5_000;

/** The codes of transient errors; every other code is a rejection. */
const transientCodes = new Map<string, { executed: boolean; retryAfterMs?: number }>([
  [operationTimeLimit, { executed: false }],
  [queryLimit, { executed: false, retryAfterMs: pauseAfterLimitMs }],
  [overload, { executed: false, retryAfterMs: pauseAfterOverloadMs }],
  ['INTERNAL_SERVER_ERROR', { executed: true }],
  ['ERROR_UNEXPECTED_ANSWER', { executed: true }],
]);

/** @param error undefined when the answer contains neither a result nor an error of the command */
export function outcomeOfError(
  { name, title }: SystemName,
  { error, error_description: message = '' }: ErrorBody = { error: 'ERROR_UNEXPECTED_ANSWER' },
): CommandOutcome {
  const code = String(error);
  const kind = transientCodes.get(code);
  if (!kind) return { error: { code, message } };
  const { executed, retryAfterMs } = kind;
  const failure = new UpstreamError(
    executed ? 'upstream-failed' : 'upstream-unavailable',
    `${title} did not execute a command of a batch (${code}); try again later.`,
    {
      kind: executed ? 'failing' : 'limit',
      system: name,
      code,
      message,
      // The status of the same error in answer to a single call: the CRM has finished the command.
      ...(executed && { status: 500 }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  );
  return { failure };
}

/**
 * Sends commands, and repeats those with transient errors until they are settled or the retries are used up; progress
 * renews the retries. Does not repeat creates that may have been executed: the caller looks them up.
 * @throws UpstreamError when the first request fails
 */
export async function sendWithRetries(
  callClass: CallClass,
  commands: readonly Command[],
  send: (commands: readonly Command[]) => Promise<Outcomes>,
): Promise<Outcomes> {
  const { priority, retries, signal } = callContext();
  const outcomes = await send(commands);
  for (let attempt = 1; retries && attempt <= retryLimit(priority); attempt += 1) {
    const open = commandsToRepeat(callClass, commands, outcomes);
    if (open.length === 0) break;
    const delays = open.map(({ key }) => delayMs(failureOf(outcomes.get(key)), attempt));
    await sleep(Math.max(...delays), undefined, signal ? { signal } : {});
    try {
      const repeated = await send(open);
      for (const [key, outcome] of repeated) outcomes.set(key, outcome);
      if ([...repeated.values()].some(outcome => !failureOf(outcome))) attempt = 0;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      // The request has had its own retries, and the outcomes of the other commands are known.
      for (const { key } of open) outcomes.set(key, { failure: error });
      break;
    }
  }
  return outcomes;
}

/** @throws UpstreamError when a command failed; preferably one that may have been executed */
export function settled(outcomes: readonly CommandOutcome[]): SettledOutcome[] {
  const failures = outcomes.flatMap(outcome => failureOf(outcome) ?? []);
  const failure = failures.find(({ maybeExecuted }) => maybeExecuted) ?? failures[0];
  if (failure) throw failure;
  return outcomes.flatMap(outcome => ('failure' in outcome ? [] : outcome));
}

const failureOf = (outcome: CommandOutcome | undefined): UpstreamError | undefined =>
  outcome && 'failure' in outcome ? outcome.failure : undefined;

function commandsToRepeat(callClass: CallClass, commands: readonly Command[], outcomes: Outcomes): readonly Command[] {
  const failed = commands.filter(({ key }) => {
    const failure = failureOf(outcomes.get(key));
    return failure?.transient && (callClass !== 'create' || !failure.maybeExecuted);
  });
  if (!commands.some(({ refersBack }) => refersBack)) return failed;
  // References reach only results of the same batch. When the first commands succeeded, the caller continues after them.
  return failed[0] === commands[0] ? commands : [];
}

/** The quota waits until a blocked method may run again. */
function delayMs(failure: UpstreamError | undefined, attempt: number): number {
  return !failure || failure.failure.code === operationTimeLimit
    ? 0
    : retryDelayMs(attempt, failure, callContext().priority);
}
