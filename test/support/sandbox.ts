/** The sandbox for one test file, on a free loopback port, with a client of `/control`. */
import { afterAll, beforeAll } from 'vitest';
import { buildSandbox } from '../../sandbox/build-sandbox.ts';

export interface Sandbox {
  /** Without a trailing slash; a system is at its name: `${url}/crm`. */
  url: string;
  control: SandboxControl;
  close(): Promise<void>;
}

interface FaultRule {
  fault:
    | 'slow'
    | 'error-500'
    | 'limit'
    | 'malformed'
    | 'html'
    | 'html-200'
    | 'html-404'
    | 'redirect'
    | 'redirect-to-login'
    | 'drop-after-commit'
    | 'unauthorized'
    | 'command-error';
  /** Text in the path and query of the matching calls. */
  path?: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  times?: number;
  skip?: number;
  delayMs?: number;
  code?: string;
  executed?: boolean;
}

export interface ReceivedCalls {
  total: number;
  byStatus: Record<string, number>;
  /** Number of calls by `GET /v1/locations`. */
  byPath: Record<string, number>;
  requests: {
    method: string;
    path: string;
    query: string;
    at: string;
    status: number | null;
    ms: number | null;
    fault: string | null;
  }[];
}

export interface SandboxControl {
  fault(system: string, rule: FaultRule): Promise<void>;
  /** Removes all faults of the system. */
  endFaults(system: string): Promise<void>;
  data(system: string, collection: string, change: 'empty' | 'halve' | 'reset'): Promise<void>;
  /** The number of rows in a collection, and the latest ones as stored. */
  rows(system: string, collection: string, limit?: number): Promise<{ count: number; latest: unknown[] }>;
  settings(system: string, settings: Record<string, unknown>): Promise<void>;
  requests(system: string): Promise<ReceivedCalls>;
  /** Resets data, settings, faults and request log of the system. */
  reset(system: string): Promise<void>;
}

export async function startSandbox(): Promise<Sandbox> {
  const app = await buildSandbox();
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, control: sandboxControl(url), close: () => app.close() };
}

/** Starts the sandbox before the tests of a file or of a `describe` block, and closes it after them. */
export function useSandbox(): Sandbox {
  const sandbox: Sandbox = Object.create(null);
  let started: Sandbox | undefined;
  beforeAll(async () => {
    started = await startSandbox();
    Object.assign(sandbox, started);
  });
  afterAll(() => started?.close());
  return sandbox;
}

/** For a sandbox in another process. */
export function sandboxControl(url: string): SandboxControl {
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${url}/control/${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${text}`);
    return JSON.parse(text || 'null');
  };
  return {
    fault: (system, rule) => call('POST', `${system}/faults`, rule),
    endFaults: system => call('DELETE', `${system}/faults`),
    data: (system, collection, change) => call('POST', `${system}/data`, { collection, change }),
    rows: (system, collection, limit = 50) => call('GET', `${system}/data/${collection}?limit=${limit}`),
    settings: (system, settings) => call('POST', `${system}/settings`, settings),
    requests: system => call('GET', `${system}/requests`),
    reset: system => call('DELETE', system),
  };
}
