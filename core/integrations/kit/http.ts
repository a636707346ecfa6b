/**
 * The way every call to an outside system over HTTP goes: budget → circuit → request → answer parsed → retry or not.
 * Redirects are not followed, because the addresses come from the configuration and credentials go with each request.
 */
import type { CircuitBreakerPolicy } from 'cockatiel';
import type { Logger } from 'pino';
import { Agent } from 'undici';
import type { z } from 'zod';
import { meteredCall } from '../../telemetry/outside-call.ts';
import { parseAnswer, type RawAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { type CallBudget, type CallBudgets, openTurnstile, type Turnstile } from './call-budget.ts';
import { callScope } from './call-context.ts';
import { type Fault, faultByStatus, faultError } from './fault.ts';
import { throughPolicies } from './resilience.ts';
import { sendRequest } from './send-request.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

export interface SystemHttpOptions {
  baseUrl: string;
  /** Sent with each request, such as the authorisation. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Called when the system refuses our credentials; the call is then sent once more. Absent: it fails. */
  onUnauthorized?: () => void | Promise<void>;
  budget?: CallBudget;
  /** Reads the vendor's own errors, also those it answers with 200; undefined: no error, or told by the status alone. */
  readFault?: (answer: RawAnswer) => Fault | undefined;
  /** Default 15,000. */
  timeoutMs?: number;
  /** An answer larger than this is refused; default 32 MB. */
  maxBytes?: number;
}

export interface SystemHttp {
  /** @throws UpstreamError */
  call<A extends z.ZodType>(call: Call<A>): Promise<z.output<A>>;
  /** The same, with the answer's headers. */
  callWhole<A extends z.ZodType>(call: Call<A>): Promise<{ body: z.output<A>; answer: RawAnswer }>;
}

export interface HttpParts {
  system: SystemName;
  /** The system of the sandbox that answers for it, if one does. */
  sandboxName: string | undefined;
  budgets: CallBudgets;
  circuit: CircuitBreakerPolicy;
  logger: Logger;
}

const defaultTimeoutMs = 15_000;
const defaultMaxBytes = 32_000_000;

export function openSystemHttp(parts: HttpParts, options: SystemHttpOptions): SystemHttp {
  const agent = new Agent({ connections: 32, keepAliveTimeout: 10_000 });
  const turnstile = options.budget && openTurnstile(parts.system, options.budget, parts.budgets);
  const once = (call: Call) => sendOnce(parts, options, turnstile, agent, call);

  async function callWhole<A extends z.ZodType>(call: Call<A>) {
    const answer = await throughPolicies(parts, call.class, () =>
      withFreshCredentials(options, () => once(call)),
    );
    return { body: parseAnswer(parts.system, call, answer), answer };
  }

  return { callWhole, call: async call => (await callWhole(call)).body };
}

/** A renewed credential is tried once; what is refused again stays refused. */
async function withFreshCredentials<T>(options: SystemHttpOptions, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!options.onUnauthorized || !isUnauthorized(error)) throw error;
    await options.onUnauthorized();
    return await send();
  }
}

const isUnauthorized = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.status === 401;

async function sendOnce(
  parts: HttpParts,
  options: SystemHttpOptions,
  turnstile: Turnstile | undefined,
  agent: Agent,
  call: Call,
): Promise<RawAnswer> {
  const scope = callScope();
  const { system, logger } = parts;
  await turnstile?.pass();
  scope.calls.set(system.name, (scope.calls.get(system.name) ?? 0) + 1);
  const bounds = {
    baseUrl: options.baseUrl,
    headers: { ...(await options.headers?.()), ...call.headers },
    timeoutMs: call.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs,
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    // A create that is on its way is not broken off: nobody would know whether it took effect.
    signal: call.class === 'create' ? undefined : scope.signal,
  };
  await scope.fence?.();
  scope.signal?.throwIfAborted();
  const begun = performance.now();
  const { method, path } = call;
  const answer = await meteredCall(
    { system: system.name, method, path },
    () => sendRequest(system, agent, call, bounds),
    ({ status }) => status,
  );
  const ms = Math.round(performance.now() - begun);
  logger.debug({ system: system.name, method, path, status: answer.status, ms }, 'outside call');
  if (parts.sandboxName) scope.sandboxes.add(parts.sandboxName);
  const fault = options.readFault?.(answer) ?? faultByStatus(answer);
  if (!fault) return answer;
  if (fault.verdict === 'limit') await turnstile?.block(fault.retryAfterMs ?? 1_000);
  throw faultError(system, answer.status, fault);
}
