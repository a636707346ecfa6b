/** What a simulated system is: data that can be spoiled, settings, the faces of its faults, and its routes. */
import type { FastifyPluginAsync } from 'fastify';
import type { z } from 'zod';
import type { Collection, CollectionOptions } from './collection.ts';
import type { FaultFaces } from './faults.ts';

/** What a system's routes stand on; made anew for each sandbox that is built. */
export interface SandboxGround<Settings> {
  /** As they are now: read them at each call. */
  readonly settings: Readonly<Settings>;
  /** Declares rows that /control can empty, halve and put back under this name. */
  collection<Row>(name: string, options: CollectionOptions<Row>): Collection<Row>;
  /** For state that is no collection (tokens, counters): called when everything is put back. */
  onReset(putBack: () => void): void;
}

export interface SandboxSystem<Settings extends z.ZodObject = z.ZodObject> {
  /** Whose shapes these are, such as `CRM (Bitrix24 REST)`. */
  title: string;
  /** Switches of the system's own, each with a default and a sentence. */
  settings: Settings;
  faults: FaultFaces;
  /** Gives the routes; paths lie below the folder's name. */
  open(ground: SandboxGround<z.output<Settings>>): FastifyPluginAsync;
}

/** The default export of `sandbox/<system>/server.ts`. */
export function defineSandboxSystem<Settings extends z.ZodObject>(
  system: SandboxSystem<Settings>,
): SandboxSystem<Settings> {
  return system;
}
