/**
 * Vendor systems: settings, sandbox settings and client of each. A system is a folder in `core/integrations/` whose
 * `system.ts` exports a definition by default.
 */
import type { z } from 'zod';
import { readConfig, withSettings } from '../../runtime/config.ts';
import { hasMembers, loadFromFolders } from '../../runtime/discover.ts';
import { ServiceError } from '../../runtime/errors.ts';
import type { CheckFinding } from '../../runtime/finding.ts';
import type { IntegrationContext, SystemTools } from './context.ts';
import { type SystemName, UpstreamError, type UpstreamFailure } from './upstream-error.ts';

export interface SystemDefinition<C extends z.ZodObject, T> extends SystemName {
  config: C;
  /** Name of the sandbox's system, when it differs. */
  sandboxName?: string;
  /** The variable with the system's address; when it is not set, the system is not configured. */
  configuredBy: string & keyof z.input<C>;
  /**
   * The settings with which the sandbox serves the system.
   * @param base such as `http://127.0.0.1:9100/crm`
   * @param databaseUrl our PostgreSQL, for a system that is a database; undefined: the sandbox has none
   */
  sandbox(base: string, databaseUrl: string | undefined): Partial<Record<string & keyof z.input<C>, string>>;
  open(config: z.output<C>, tools: SystemTools): T;
  /**
   * A cheap call without side effects that checks address and credentials. Without it the doctor only opens the client.
   */
  probe?(client: T): Promise<unknown>;
  /** Compares the settings with what the system has, by read calls; one finding for each mistake. */
  checkSettings?(client: T): Promise<CheckFinding[]>;
  /** A mistake in the account or the settings that the vendor's answer names; undefined for any other failure. */
  mistakeOf?(failure: UpstreamFailure): CheckFinding | undefined;
  /** Lines for `.env`, proposed from what the system has, by read calls. */
  proposeSettings?(client: T): Promise<string[]>;
}

export interface System<T = unknown> extends SystemName {
  config: z.ZodObject;
  configuredBy: string;
  /**
   * The client of this process, opened at first use.
   * @throws ServiceError `system-not-configured`
   */
  client(context: IntegrationContext): T;
  /** @throws the errors of the client's calls */
  probe(context: IntegrationContext): Promise<void>;
  /** @throws the errors of the client's calls */
  checkSettings(context: IntegrationContext): Promise<CheckFinding[]>;
  /** The mistake in the account or the settings behind a failed call. */
  mistakeOf(error: unknown): CheckFinding | undefined;
  /**
   * Lines for `.env`; undefined when the system has nothing to propose.
   * @throws the errors of the client's calls
   */
  proposeSettings?: (context: IntegrationContext) => Promise<string[]>;
}

export function defineSystem<C extends z.ZodObject, T>(definition: SystemDefinition<C, T>): System<T> {
  const { name, title, config, configuredBy, sandboxName = name, proposeSettings } = definition;
  const clients = new WeakMap<IntegrationContext, { client: T }>();

  function open(context: IntegrationContext): T {
    const source = context.sourceOf(configuredBy);
    if (source === 'none') throw notConfigured(title, configuredBy);
    const env =
      source === 'sandbox'
        ? withSettings(context.env, definition.sandbox(context.sandboxUrl(sandboxName), context.databaseUrl))
        : context.env;
    return definition.open(
      readConfig(config, env),
      context.tools({ name, title, setting: configuredBy }, source, sandboxName),
    );
  }

  function client(context: IntegrationContext): T {
    const known = clients.get(context) ?? { client: open(context) };
    clients.set(context, known);
    return known.client;
  }

  return {
    name,
    title,
    config,
    configuredBy,
    client,
    probe: async context => void (await definition.probe?.(client(context))),
    checkSettings: async context => (await definition.checkSettings?.(client(context))) ?? [],
    mistakeOf: error => (error instanceof UpstreamError ? definition.mistakeOf?.(error.failure) : undefined),
    ...(proposeSettings && {
      proposeSettings: (context: IntegrationContext) => proposeSettings(client(context)),
    }),
  };
}

/** @throws Error when a system's name is not that of its folder */
export async function discoverSystems(from = 'core/integrations'): Promise<System[]> {
  const systems: System[] = [];
  for (const { file, folder, exported } of await loadFromFolders(from, 'system')) {
    if (!isSystem(exported)) throw new Error(`${file} must export a system by default`);
    if (exported.name !== folder) throw new Error(`${file}: the name must be "${folder}"; it is "${exported.name}"`);
    systems.push(exported);
  }
  return systems;
}

/** The settings of all systems, which a process checks before it opens anything. */
export const systemConfigs = async (): Promise<z.ZodObject[]> => (await discoverSystems()).map(system => system.config);

const isSystem = (value: unknown): value is System => hasMembers(value, 'client', 'configuredBy');

const notConfigured = (title: string, variable: string): ServiceError =>
  new ServiceError('system-not-configured', `${title} is not configured here: ${variable} is not set.`, {
    retryAfterSeconds: 3_600,
  });
