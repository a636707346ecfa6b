/** Sends one HTTP request to an outside system and reads the answer within its bounds. */
import { type Agent, errors, type FormData, request } from 'undici';
import { EgressRefused } from '../../egress/egress-refused.ts';
import { readBody } from '../../egress/read-body.ts';
import { timeBound } from '../../runtime/timeout.ts';
import { type RawAnswer, rawAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { type SystemName, UpstreamError } from './upstream-error.ts';

interface Bounds {
  baseUrl: string;
  headers: Record<string, string>;
  timeoutMs: number;
  maxBytes: number;
  signal: AbortSignal | undefined;
}

/** @throws UpstreamError when no answer came; the caller's own abort as it is */
export async function sendRequest(
  system: SystemName,
  agent: Agent,
  call: Call,
  bounds: Bounds,
): Promise<RawAnswer> {
  const time = timeBound(bounds.timeoutMs, bounds.signal);
  try {
    const answer = await request(bounds.baseUrl + call.path + queryOf(call.query), {
      dispatcher: agent,
      method: call.method,
      headers: { accept: 'application/json', ...jsonType(call), ...bounds.headers },
      body: bodyOf(call),
      signal: time.signal,
    });
    const body = await readBody(answer.body, answer.headers, bounds.maxBytes);
    return rawAnswer(answer.statusCode, answer.headers, body);
  } catch (error) {
    if (time.isOver()) throw timedOut(system, bounds.timeoutMs);
    bounds.signal?.throwIfAborted();
    throw notAnswered(system, error);
  } finally {
    time.release();
  }
}

const jsonType = ({ json }: Call): Record<string, string> =>
  json === undefined ? {} : { 'content-type': 'application/json' };

function bodyOf({ json, body }: Call): string | Uint8Array | FormData | null {
  return json === undefined ? (body ?? null) : JSON.stringify(json);
}

function queryOf(query: Call['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

const timedOut = (system: SystemName, timeoutMs: number): UpstreamError =>
  new UpstreamError('upstream-timeout', `${system.title} did not answer within ${timeoutMs / 1_000} s.`, {
    system: system.name,
    passing: true,
    mayHaveRun: true,
    down: true,
  });

/** Whoever was not reached has done nothing; a connection that broke later may have carried the call. */
const notReached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

function notAnswered(system: SystemName, error: unknown): UpstreamError {
  if (error instanceof EgressRefused) return unreadable(system, error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const unreached = notReached.has(code) || error instanceof errors.ConnectTimeoutError;
  const what = unreached ? 'cannot be reached' : 'broke off the connection';
  return new UpstreamError('upstream-failed', `${system.title} ${what}.`, {
    system: system.name,
    code,
    passing: true,
    mayHaveRun: !unreached,
    down: true,
    cause: error,
  });
}

const unreadable = (system: SystemName, cause: EgressRefused): UpstreamError =>
  new UpstreamError('upstream-failed', `${system.title} gave an answer that cannot be read.`, {
    system: system.name,
    passing: false,
    mayHaveRun: true,
    cause,
  });
