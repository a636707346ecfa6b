/** Opens one simulated system: creates its context and adds the hooks that log each call and apply the fault rules. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Collection, createCollection } from './collection.ts';
import {
  applyFaultAfterCall,
  applyFaultBeforeCall,
  createFaultRules,
  type FaultResponses,
  type FaultRule,
  type FaultRules,
} from './faults.ts';
import { createRequestLog, type ReceivedCall, type RequestLog } from './request-log.ts';
import type { SandboxSystem } from './sandbox-system.ts';

/** The operations of `/control` and of the stored state on a collection of any row type. */
type ControllableCollection = Pick<
  Collection<unknown>,
  'size' | 'all' | 'empty' | 'halve' | 'reset' | 'changedRows' | 'restore'
>;

/** A simulated system as `/control` sees it. */
export interface OpenedSystem {
  name: string;
  title: string;
  faults: FaultRules;
  requests: RequestLog;
  collections: ReadonlyMap<string, ControllableCollection>;
  settings: { schema: z.ZodObject; current(): object; change(to: object): void };
  /** Resets data, settings, fault rules and the request log. */
  reset(): void;
  routes: FastifyPluginAsync;
}

export function openSystem(name: string, system: SandboxSystem): OpenedSystem {
  const faults = createFaultRules();
  const requests = createRequestLog();
  const collections = new Map<string, ControllableCollection>();
  const resetCallbacks: (() => void)[] = [];
  const settings = system.settings.parse({});

  const routes = system.open({
    settings,
    collection(collectionName, options) {
      const collection = createCollection(options);
      collections.set(collectionName, collection);
      return collection;
    },
    onReset: callback => void resetCallbacks.push(callback),
    takeCommandFault: faults.takeCommand,
  });

  return {
    name,
    title: system.title,
    faults,
    requests,
    collections,
    settings: { schema: system.settings, current: () => settings, change: to => void Object.assign(settings, to) },
    reset() {
      faults.reset();
      requests.reset();
      Object.assign(settings, system.settings.parse({}));
      for (const collection of collections.values()) collection.reset();
      for (const callback of resetCallbacks) callback();
    },
    async routes(app) {
      recordCalls(app, faults, requests, system.faults);
      await app.register(routes);
    },
  };
}

interface CallState {
  received: ReceivedCall;
  fault: FaultRule | undefined;
  startedAt: number;
}

function recordCalls(app: FastifyInstance, faults: FaultRules, requests: RequestLog, responses: FaultResponses): void {
  const calls = new WeakMap<FastifyRequest, CallState>();

  app.addHook('onRequest', async (request, reply) => {
    const target = splitUrl(app.prefix, request.url);
    const fault = faults.take(request.method, decodeUrl(request.url.slice(app.prefix.length)));
    const received: ReceivedCall = {
      method: request.method,
      ...target,
      at: new Date().toISOString(),
      status: null,
      ms: null,
      fault: fault?.fault ?? null,
    };
    calls.set(request, { received, fault, startedAt: performance.now() });
    requests.add(received);
    if (fault) await applyFaultBeforeCall(fault, responses, request, reply);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const call = calls.get(request);
    if (!call) return payload;
    if (call.fault?.fault !== 'drop-after-commit')
      requests.answered(call.received, reply.statusCode, performance.now() - call.startedAt);
    if (!call.fault) return payload;
    reply.removeHeader('content-length');
    return applyFaultAfterCall(call.fault, request, payload);
  });
}

function splitUrl(prefix: string, url: string): { path: string; query: string } {
  const [path = '', ...query] = url.slice(prefix.length).split('?');
  return { path, query: query.join('?') };
}

/** Fault rules name paths without percent-encoding. */
function decodeUrl(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
