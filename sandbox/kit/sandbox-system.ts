/** The definition of a simulated system: settings, fault responses and routes. */
import type { FastifyPluginAsync } from 'fastify';
import type { z } from 'zod';
import type { Collection, CollectionOptions } from './collection.ts';
import type { FaultResponses, FaultRules } from './faults.ts';

/** State and services for a system's routes; created for each sandbox. */
export interface SandboxContext<Settings> {
  /** Current values; read them at each call. */
  readonly settings: Readonly<Settings>;
  /** Declares a collection that `/control` can empty, halve and reset by this name. */
  collection<Row>(name: string, options: CollectionOptions<Row>): Collection<Row>;
  /** Registers a callback that resets state outside collections, such as tokens and counters. */
  onReset(callback: () => void): void;
  /** Returns the fault of a command of a batch, if one is due. */
  takeCommandFault: FaultRules['takeCommand'];
}

export interface SandboxSystem<Settings extends z.ZodObject = z.ZodObject> {
  /** The vendor interface, such as `CRM (Bitrix24 REST)`. */
  title: string;
  /** Settings of the system; each needs a default and a description. */
  settings: Settings;
  faults: FaultResponses;
  /** Returns the routes; their paths are relative to `/<folder>`. */
  open(context: SandboxContext<z.output<Settings>>): FastifyPluginAsync;
}

/** The default export of `sandbox/<system>/server.ts`. */
export function defineSandboxSystem<Settings extends z.ZodObject>(
  system: SandboxSystem<Settings>,
): SandboxSystem<Settings> {
  return system;
}
