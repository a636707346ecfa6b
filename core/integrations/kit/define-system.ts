/**
 * What an outside system is: its settings, what serves it when it is not configured, and the client with our verbs.
 * Each is a folder in `core/integrations/` whose `system.ts` exports it by default.
 */
import type { z } from 'zod';
import { readConfig, withSettings } from '../../runtime/config.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { SystemGround, SystemTools } from './context.ts';
import type { SystemName } from './upstream-error.ts';

export interface SystemDefinition<C extends z.ZodObject, T> extends SystemName {
  config: C;
  /** The sandbox's system that serves it, when that has another name. */
  sandboxName?: string;
  /** The variable that says where the system is; without it, it is not configured. */
  configuredBy: string & keyof z.input<C>;
  /**
   * The variables' values under which the sandbox serves.
   * @param base such as `http://127.0.0.1:9100/crm`
   * @param databaseUrl our own PostgreSQL, for a system that is a database; undefined: the sandbox has none
   */
  sandbox(base: string, databaseUrl: string | undefined): Partial<Record<string & keyof z.input<C>, string>>;
  open(config: z.output<C>, tools: SystemTools): T;
  /**
   * A call that reads next to nothing and changes nothing: whether the system answers and takes our credentials. Left
   * out: the doctor only opens the client.
   */
  probe?(client: T): Promise<unknown>;
}

export interface System<T = unknown> extends SystemName {
  config: z.ZodObject;
  configuredBy: string;
  /**
   * The client of this process, made at first use.
   * @throws ServiceError `system-not-configured`
   */
  at(ground: SystemGround): T;
  /** @throws what the calls of the client throw */
  probe(ground: SystemGround): Promise<void>;
}

export function defineSystem<C extends z.ZodObject, T>(definition: SystemDefinition<C, T>): System<T> {
  const { name, title, config, configuredBy, sandboxName = name } = definition;
  const clients = new WeakMap<SystemGround, { client: T }>();

  function open(ground: SystemGround): T {
    const source = ground.sourceOf(configuredBy);
    if (source === 'none') throw notConfigured(title, configuredBy);
    const env =
      source === 'sandbox'
        ? withSettings(ground.env, definition.sandbox(ground.sandboxUrl(sandboxName), ground.databaseUrl))
        : ground.env;
    return definition.open(readConfig(config, env), ground.tools({ name, title }, source, sandboxName));
  }

  function at(ground: SystemGround): T {
    const known = clients.get(ground) ?? { client: open(ground) };
    clients.set(ground, known);
    return known.client;
  }

  return {
    name,
    title,
    config,
    configuredBy,
    at,
    probe: async ground => void (await definition.probe?.(at(ground))),
  };
}

const notConfigured = (title: string, variable: string): ServiceError =>
  new ServiceError('system-not-configured', `${title} is not configured here: ${variable} is not set.`, {
    retryAfterSeconds: 3_600,
  });
