/** A vendor system on loopback that answers as scripted, and the client of a connector that calls it. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeEach } from 'vitest';
import type { CallBudget, CallBudgets } from '../../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../../core/integrations/kit/context.ts';
import type { System } from '../../core/integrations/kit/define-system.ts';
import { parseJson } from '../../core/values/parse-json.ts';
import { startLoopbackServer } from './loopback-server.ts';

export interface ReceivedCall {
  /** Such as `GET /users/7`. */
  call: string;
  /** A repeated parameter has its last value. */
  query: Record<string, string>;
  /** Parsed JSON; the text of another body; undefined without one. */
  body: unknown;
  headers: IncomingHttpHeaders;
}

export interface Reply {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  /** A body that is not JSON. */
  text?: string;
  /** Ends the connection without an answer. */
  drop?: true;
  /** Never answers. */
  hang?: true;
}

type Answer = Reply | ((received: ReceivedCall) => Reply);

export type Vendor = Awaited<ReturnType<typeof startVendor>>;

export async function startVendor() {
  const answers = new Map<string, Answer[]>();
  const received: ReceivedCall[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://vendor');
    const body = await text(request);
    const call = {
      call: `${request.method} ${url.pathname}`,
      query: Object.fromEntries(url.searchParams),
      body: body === '' ? undefined : (parseJson(body) ?? body),
      headers: request.headers,
    };
    received.push(call);
    const open = answers.get(call.call) ?? [];
    const answer = open.length > 1 ? open.shift() : open[0];
    // 400 is neither retried nor counted by the circuit.
    send(response, typeof answer === 'function' ? answer(call) : (answer ?? { status: 400, text: 'no such call' }));
  });
  return {
    url: server.origin,
    received,
    /** Answers a call with these in turn, and then with the last one always. */
    on(call: string, ...replies: Answer[]): void {
      answers.set(call, replies);
    },
    /** Forgets answers and calls. */
    reset(): void {
      answers.clear();
      received.length = 0;
    },
    /** The calls received so far, such as `GET /users/7`. */
    calls: () => received.map(({ call }) => call),
    close: () => server.close(),
  };
}

/** A vendor for the tests of a file, which knows no answers and calls before each test. */
export async function useVendor(): Promise<Vendor> {
  const vendor = await startVendor();
  beforeEach(vendor.reset);
  afterAll(vendor.close);
  return vendor;
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, json, text: other = '', drop, hang }: Reply,
): void {
  if (hang) return;
  if (drop) response.destroy();
  else if (json === undefined) response.writeHead(status, headers).end(other);
  else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
}

/** Without limits. */
export const unlimited: CallBudgets = { take: async () => undefined, block: async () => undefined };

/** Records the budgets from which calls are taken, with the limit of the caller. */
export function recordedBudgets() {
  const taken: { budget: Partial<CallBudget>; limit: number }[] = [];
  const blocked: { name: string; ms: number }[] = [];
  const budgets: CallBudgets = {
    take: async (budget, limit) => void taken.push({ budget, limit }),
    block: async (name, ms) => void blocked.push({ name, ms }),
  };
  return { taken, blocked, budgets };
}

interface ClientOptions {
  budgets?: CallBudgets;
  /** The sandbox serves the system when `env` has no address for it. */
  sandboxUrl?: string;
}

/** The client of a system with the settings in `env` only. */
export const openClient = <T>(
  system: System<T>,
  env: Record<string, string>,
  { budgets = unlimited, sandboxUrl }: ClientOptions = {},
): T => system.client(vendorContext(env, { budgets, ...(sandboxUrl !== undefined && { sandboxUrl }) }));

export const vendorContext = (env: Record<string, string>, { budgets = unlimited, sandboxUrl }: ClientOptions = {}) =>
  openIntegrationContext({ env, sandboxUrl, budgets, logger: pino({ level: 'silent' }) });

/** Calls without retries, as an interactive caller. */
export const once = <T>(work: () => T): T => withCallContext({ priority: 'interactive', retries: false }, work);
