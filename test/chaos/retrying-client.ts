/** An API client that alternates between APIs and retries requests with the same Idempotency-Key. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the base path. */
  path: string;
  body?: object | undefined;
  /** `Idempotency-Key`. */
  key?: string | undefined;
  headers?: Record<string, string> | undefined;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  body: Buffer;
}

export interface RetryingClient {
  /** The first final response; after `timeoutMs` the last response, or undefined without any. */
  send(request: ApiRequest, timeoutMs: number): Promise<ApiResponse | undefined>;
  /** Number of retries. */
  retries(): number;
}

export interface ClientCredentials {
  id: string;
  secret: string;
}

const responseTimeoutMs = 30_000;
const maxDelayMs = 3_000;

const Token = z.object({ access_token: z.string() });

/** @param apis URLs with the base path; requests alternate between them, as behind a load balancer */
export function createRetryingClient(apis: readonly string[], login: ClientCredentials): RetryingClient {
  let requestCount = 0;
  let retries = 0;
  let token: string | undefined;
  const nextApi = () => apis[requestCount++ % apis.length] ?? '';

  async function authorize(): Promise<string> {
    const response = await fetch(`${nextApi()}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${login.id}:${login.secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    if (response.status !== 200) throw new Error(`no access token: ${response.status} ${await response.text()}`);
    token = Token.parse(await response.json()).access_token;
    return token;
  }

  async function once({ method, path, body, key, headers }: ApiRequest): Promise<ApiResponse> {
    const bearer = token ?? (await authorize());
    const response = await fetch(nextApi() + path, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    if (response.status === 401) token = undefined;
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  return {
    retries: () => retries,
    async send(request, timeoutMs) {
      const until = Date.now() + timeoutMs;
      for (let attempt = 1; ; attempt += 1) {
        // Without a complete response, the request may or may not have been executed.
        const response = await once(request).catch(() => undefined);
        if (response && isFinal(response)) return response;
        const delay = delayAfter(response, attempt);
        if (Date.now() + delay > until) return response;
        retries += 1;
        await sleep(delay);
      }
    },
  };
}

const isFinal = ({ status, headers }: ApiResponse): boolean => {
  if (status === 401 || status === 429 || status >= 500) return false;
  return status !== 409 || !headers.has('retry-after');
};

function delayAfter(response: ApiResponse | undefined, attempt: number): number {
  const retryAfter = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  return Math.min(Number.isNaN(retryAfter) ? 100 * 2 ** attempt : retryAfter, maxDelayMs);
}
