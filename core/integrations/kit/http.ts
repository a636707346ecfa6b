/**
 * HTTP calls to vendor systems: retries → credentials → rate gate → circuit → request → parsed answer. Redirects are not
 * followed: the URLs come from the configuration, and each request carries credentials.
 */
import type { Logger } from 'pino';
import { Agent, errors, type FormData, request } from 'undici';
import type { z } from 'zod';
import { EgressError } from '../../egress/egress-error.ts';
import { readBody } from '../../egress/read-body.ts';
import { codeOf } from '../../runtime/error-code.ts';
import { createTimeout } from '../../runtime/timeout.ts';
import { userAgent } from '../../runtime/version.ts';
import { meteredCall } from '../../telemetry/spans.ts';
import { type Call, parseAnswer, type RawAnswer, rawAnswer } from './call.ts';
import { type CallBudget, type CallBudgets, openRateGate, type RateGate } from './call-budget.ts';
import { callContext } from './call-context.ts';
import type { Circuit } from './circuit.ts';
import { faultByStatus, faultError, redirectError, type VendorFault } from './fault.ts';
import { type RepeatedFailures, watched } from './repeated-failure.ts';
import { withRetries } from './resilience.ts';
import { beforeSending, type SystemName, UpstreamError } from './upstream-error.ts';

export interface SystemHttpOptions {
  baseUrl: string;
  /** Sent with each request, such as `authorization`. */
  headers?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Called when the vendor rejects our credentials; the call is then sent once more. Absent: the call fails. */
  onUnauthorized?: () => void | Promise<void>;
  budget?: CallBudget;
  /** Reads the vendor's own errors, also in answers with status 200; undefined: the status alone decides. */
  readFault?: (answer: RawAnswer) => VendorFault | undefined;
  /** Default 15,000. */
  timeoutMs?: number;
  /** Maximum size of an answer; default 32 MB. */
  maxBytes?: number;
}

export interface SystemHttp {
  /** @throws UpstreamError */
  call<A extends z.ZodType>(call: Call<A>): Promise<z.output<A>>;
  /** A GET call of the class `read`. @throws UpstreamError */
  get<A extends z.ZodType>(path: string, answer: A, query?: Call['query']): Promise<z.output<A>>;
  /** The same, with the answer's headers. */
  callWhole<A extends z.ZodType>(call: Call<A>): Promise<{ body: z.output<A>; answer: RawAnswer }>;
}

export interface SharedTools {
  system: SystemName;
  /** The sandbox's system that answers; undefined: the vendor does. */
  sandboxName: string | undefined;
  budgets: CallBudgets;
  circuit: Circuit;
  repeated: RepeatedFailures;
  logger: Logger;
}

interface Connection extends SharedTools {
  options: SystemHttpOptions;
  rateGate: RateGate | undefined;
  agent: Agent;
}

const defaultTimeoutMs = 15_000;
const defaultMaxBytes = 32_000_000;

/** Errors after which the vendor cannot have received the request; a later failure of a connection leaves it open. */
const unreachableCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export function openSystemHttp(shared: SharedTools, options: SystemHttpOptions): SystemHttp {
  const connection: Connection = {
    ...shared,
    options,
    agent: new Agent({ connections: 32, keepAliveTimeout: 10_000 }),
    rateGate: options.budget && openRateGate(shared.system, options.budget, shared.budgets),
  };

  async function callWhole<A extends z.ZodType>(call: Call<A>) {
    const answer = await withRetries(call.class, () => withFreshCredentials(options, () => sendOnce(connection, call)));
    return { body: parseAnswer(shared.system, call, answer), answer };
  }

  return {
    callWhole,
    call: async call => (await callWhole(call)).body,
    get: async (path, answer, query) => (await callWhole({ class: 'read', method: 'GET', path, answer, query })).body,
  };
}

/** Renews rejected credentials once. */
async function withFreshCredentials<T>({ onUnauthorized }: SystemHttpOptions, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isUnauthorized = error instanceof UpstreamError && error.failure.status === 401;
    if (!onUnauthorized || !isUnauthorized) throw error;
    await onUnauthorized();
    return await send();
  }
}

async function sendOnce(connection: Connection, call: Call): Promise<RawAnswer> {
  const { system, circuit, options, rateGate } = connection;
  await circuit.ready();
  const headers = { ...(await credentials(options)), ...call.headers };
  await rateGate?.wait();
  // Only the request runs inside the circuit: a token request there would wait for the circuit that waits for it.
  const send = () => watched(connection.repeated, { system, call }, () => sendMetered(connection, call, headers));
  return await circuit.run(send, `${call.method} ${call.path}`);
}

async function sendMetered(connection: Connection, call: Call, headers: Record<string, string>): Promise<RawAnswer> {
  const context = callContext();
  const { system, logger, options, rateGate, sandboxName } = connection;
  await context.fence?.();
  context.signal?.throwIfAborted();
  context.calls.set(system.name, (context.calls.get(system.name) ?? 0) + 1);
  const begun = performance.now();
  const { method, path } = call;
  const operation = `${system.name} ${method} ${path}`;
  context.sent.set(operation, (context.sent.get(operation) ?? 0) + 1);
  const answer = await meteredCall(
    { system: system.name, method, path },
    () => sendRequest(connection, call, headers),
    ({ status }) => status,
  );
  const ms = Math.round(performance.now() - begun);
  logger.debug({ system: system.name, method, path, status: answer.status, ms }, 'vendor call');
  if (sandboxName) context.sandboxes.add(sandboxName);
  const fault = options.readFault?.(answer) ?? faultByStatus(answer);
  if (!fault) return answer;
  if (fault.verdict === 'redirected') throw redirectError(system, options.baseUrl, answer.headers.location);
  if (fault.verdict === 'limit') await rateGate?.block(fault.retryAfterMs ?? 1_000);
  throw faultError(system, answer.status, fault);
}

async function credentials({ headers }: SystemHttpOptions): Promise<Record<string, string>> {
  try {
    return (await headers?.()) ?? {};
  } catch (error) {
    throw beforeSending(error);
  }
}

/** @throws UpstreamError without an answer; the reason of the caller's own abort */
async function sendRequest(
  { system, agent, options }: Connection,
  call: Call,
  headers: Record<string, string>,
): Promise<RawAnswer> {
  // A create in flight is not cancelled: its outcome would be unknown.
  const signal = call.class === 'create' ? undefined : callContext().signal;
  const timeoutMs = withinDeadline(call.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs);
  const timeout = createTimeout(timeoutMs, signal);
  try {
    const answer = await request(options.baseUrl + call.path + queryOf(call.query), {
      dispatcher: agent,
      method: call.method,
      headers: { accept: 'application/json', 'user-agent': userAgent, ...jsonType(call), ...headers },
      body: bodyOf(call),
      signal: timeout.signal,
    });
    const body = await readBody(answer.body, answer.headers, options.maxBytes ?? defaultMaxBytes);
    return rawAnswer(answer.statusCode, answer.headers, body);
  } catch (error) {
    if (timeout.hasExpired()) throw timedOut(system, timeoutMs);
    signal?.throwIfAborted();
    throw noAnswer(system, error);
  } finally {
    timeout.clear();
  }
}

/** Shortly before the deadline, so that the failure is that of the system, and counts for its circuit. */
const beforeDeadlineMs = 100;
const minTimeoutMs = 500;

function withinDeadline(timeoutMs: number): number {
  const { deadlineAt } = callContext();
  if (deadlineAt === undefined) return timeoutMs;
  return Math.min(timeoutMs, Math.max(minTimeoutMs, deadlineAt - Date.now() - beforeDeadlineMs));
}

const jsonType = ({ json }: Call): Record<string, string> =>
  json === undefined ? {} : { 'content-type': 'application/json' };

const bodyOf = ({ json, body }: Call): string | Uint8Array | FormData | null =>
  json === undefined ? (body ?? null) : JSON.stringify(json);

function queryOf(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

const timedOut = ({ name, title }: SystemName, timeoutMs: number): UpstreamError =>
  new UpstreamError('upstream-timeout', `${title} did not answer within ${Math.round(timeoutMs / 10) / 100} s.`, {
    kind: 'no-answer',
    system: name,
  });

function noAnswer({ name, title }: SystemName, cause: unknown): UpstreamError {
  if (cause instanceof EgressError)
    return new UpstreamError('upstream-failed', `${title} returned an answer that cannot be read.`, {
      kind: 'unclear',
      system: name,
      cause,
    });
  const code = codeOf(cause) || 'unknown';
  const isUnreachable = unreachableCodes.has(code) || cause instanceof errors.ConnectTimeoutError;
  const what = isUnreachable ? 'cannot be reached' : 'broke off the connection';
  const kind = isUnreachable ? 'unreachable' : 'no-answer';
  return new UpstreamError('upstream-failed', `${title} ${what}.`, { kind, system: name, code, cause });
}
