/** Opens one simulated system: its ground, and the hooks that record each call and carry out the ordered faults. */
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Collection, createCollection } from './collection.ts';
import {
  createFaultSwitches,
  type FaultFaces,
  type FaultOrder,
  type FaultSwitches,
  faultAfterCall,
  faultBeforeCall,
} from './faults.ts';
import { createRequestRecord, type ReceivedCall, type RequestRecord } from './request-record.ts';
import type { SandboxSystem } from './sandbox-system.ts';

/** What /control may do to a collection, whatever its rows are. */
type SpoilableCollection = Pick<Collection<unknown>, 'size' | 'all' | 'empty' | 'halve' | 'reset'>;

/** A system as /control sees it. */
export interface OpenedSystem {
  name: string;
  title: string;
  faults: FaultSwitches;
  requests: RequestRecord;
  collections: ReadonlyMap<string, SpoilableCollection>;
  settings: { schema: z.ZodObject; current(): object; change(to: object): void };
  /** Puts everything back: data, settings, faults, record. */
  reset(): void;
  routes: FastifyPluginAsync;
}

export function openSystem(name: string, system: SandboxSystem): OpenedSystem {
  const faults = createFaultSwitches();
  const requests = createRequestRecord();
  const collections = new Map<string, SpoilableCollection>();
  const putBacks: (() => void)[] = [];
  const settings = system.settings.parse({});

  const routes = system.open({
    settings,
    collection(collectionName, options) {
      const collection = createCollection(options);
      collections.set(collectionName, collection);
      return collection;
    },
    onReset: putBack => void putBacks.push(putBack),
  });

  return {
    name,
    title: system.title,
    faults,
    requests,
    collections,
    settings: {
      schema: system.settings,
      current: () => settings,
      change: to => void Object.assign(settings, to),
    },
    reset() {
      faults.reset();
      requests.reset();
      Object.assign(settings, system.settings.parse({}));
      for (const collection of collections.values()) collection.reset();
      for (const putBack of putBacks) putBack();
    },
    async routes(app) {
      watchCalls(app, faults, requests, system.faults);
      await app.register(routes);
    },
  };
}

interface WatchedCall {
  received: ReceivedCall;
  fault: FaultOrder | undefined;
  startedAt: number;
}

function watchCalls(
  app: FastifyInstance,
  faults: FaultSwitches,
  requests: RequestRecord,
  faces: FaultFaces,
): void {
  const watched = new WeakMap<FastifyRequest, WatchedCall>();

  app.addHook('onRequest', async (request, reply) => {
    const call = pathBelow(app.prefix, request.url);
    const fault = faults.take(request.method, decoded(request.url.slice(app.prefix.length)));
    const received: ReceivedCall = {
      method: request.method,
      ...call,
      at: new Date().toISOString(),
      status: null,
      ms: null,
      fault: fault?.fault ?? null,
    };
    watched.set(request, { received, fault, startedAt: performance.now() });
    requests.add(received);
    if (fault) await faultBeforeCall(fault, faces, request, reply);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const call = watched.get(request);
    if (!call) return payload;
    if (call.fault?.fault !== 'drop-after-commit')
      requests.answered(call.received, reply.statusCode, performance.now() - call.startedAt);
    if (!call.fault) return payload;
    reply.removeHeader('content-length');
    return faultAfterCall(call.fault, request, payload);
  });
}

function pathBelow(prefix: string, url: string): { path: string; query: string } {
  const [path = '', ...query] = url.slice(prefix.length).split('?');
  return { path, query: query.join('?') };
}

/** Orders name paths as people write them. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
