/** A client that behaves: asks two APIs in turn, and sends what got no answer again, with the same Idempotency-Key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export interface Asked {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base path. */
  path: string;
  body?: object | undefined;
  /** `Idempotency-Key`. */
  key?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: Buffer;
}

export interface GoodClient {
  /** The last answer there was, once one is final or patience is at its end; undefined when there was none at all. */
  ask(asked: Asked, patienceMs: number): Promise<Answered | undefined>;
  /** Requests that were sent again. */
  retries(): number;
}

export interface Login {
  id: string;
  secret: string;
}

const answerWithinMs = 30_000;
const longestWaitMs = 3_000;

const Token = z.object({ access_token: z.string() });

/** @param apis addresses with the base path; asked in turn, as a balancer would */
export function openGoodClient(apis: readonly string[], login: Login): GoodClient {
  let turn = 0;
  let retries = 0;
  let token: string | undefined;
  const nextApi = () => apis[turn++ % apis.length] ?? '';

  async function authorize(): Promise<string> {
    const answer = await fetch(`${nextApi()}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${login.id}:${login.secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
    token = Token.parse(await answer.json()).access_token;
    return token;
  }

  async function once({ method, path, body, key, headers }: Asked): Promise<Answered> {
    const bearer = token ?? (await authorize());
    const answer = await fetch(nextApi() + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    if (answer.status === 401) token = undefined;
    return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
  }

  return {
    retries: () => retries,
    async ask(asked, patienceMs) {
      const until = Date.now() + patienceMs;
      for (let tries = 1; ; tries += 1) {
        // No answer, or one that broke off: whether it was carried out is not known.
        const answer = await once(asked).catch(() => undefined);
        if (answer && isFinal(answer)) return answer;
        const wait = waitBefore(answer, tries);
        if (Date.now() + wait > until) return answer;
        retries += 1;
        await sleep(wait);
      }
    },
  };
}

const isFinal = ({ status, headers }: Answered): boolean => {
  if (status === 401 || status === 429 || status >= 500) return false;
  return status !== 409 || !headers.has('retry-after');
};

function waitBefore(answer: Answered | undefined, tries: number): number {
  const asked = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  return Math.min(Number.isNaN(asked) ? 100 * 2 ** tries : asked, longestWaitMs);
}
