/** What checks may use: the environment, the settings, PostgreSQL and the integrations, each opened at its first use. */
import path from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { z } from 'zod';
import { type IntegrationContext, openIntegrationContext } from '../integrations/kit/context.ts';
import { configuredDatabase, DatabaseConfig } from '../postgres/client.ts';
import { withConnection } from '../postgres/connection.ts';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { ConfigurationError, readConfig } from '../runtime/config.ts';
import { SandboxConfig, ServiceConfig } from '../runtime/service-config.ts';
import { StorageConfig } from '../storage/config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DoctorContext {
  env: Environment;
  /** @throws ConfigurationError */
  read<T extends z.ZodObject>(declaration: T): z.output<T>;
  /** The address of PostgreSQL itself. @throws NotChecked when the process has no database */
  databaseUrl(): Promise<string>;
  systems(): Promise<IntegrationContext>;
}

export interface OpenDoctorContext extends DoctorContext {
  /** Stops the embedded PostgreSQL if this context started it. */
  close(): Promise<void>;
}

/** A check needs a part that does not work; the check of that part reports the failure. */
export class NotChecked extends Error {
  override readonly name = 'NotChecked';
}

/** The context inside a running process. */
export const contextOf = (systems: IntegrationContext): DoctorContext => ({
  env: systems.env,
  read: declaration => readConfig(declaration, systems.env),
  async databaseUrl() {
    if (systems.databaseUrl === undefined) throw new NotChecked('the process has no database');
    return systems.databaseUrl;
  },
  systems: async () => systems,
});

const silent = pino({ level: 'silent' });

/** The call budgets leave a margin for one call to each system, so checks work without a database. */
const withoutBudget = { take: async () => undefined, block: async () => {} };

/** The context of the command `npm run doctor`. */
export function openContext(env: Environment): OpenDoctorContext {
  let embedded: ReturnType<typeof startEmbeddedPostgres> | undefined;
  let systems: IntegrationContext | undefined;
  const read: DoctorContext['read'] = declaration => readConfig(declaration, env);

  async function databaseUrl(): Promise<string> {
    const configured = configuredDatabase(read(DatabaseConfig));
    if (configured) return configured.directUrl;
    const dataDir = path.resolve(read(StorageConfig).DATA_DIR);
    embedded ??= startEmbeddedPostgres({ dataDir, logger: silent });
    return (await embedded).url;
  }

  return {
    env,
    read,
    databaseUrl,
    async systems() {
      const { NODE_ENV } = read(ServiceConfig.pick({ NODE_ENV: true }));
      const { SANDBOX_HOST, SANDBOX_PORT } = read(SandboxConfig);
      const url = await databaseUrl().catch(() => undefined);
      systems ??= openIntegrationContext({
        env,
        sandboxUrl: NODE_ENV === 'development' ? `http://${SANDBOX_HOST}:${SANDBOX_PORT}` : undefined,
        ...(url !== undefined && { databaseUrl: url }),
        budgets: withoutBudget,
        logger: silent,
      });
      return systems;
    },
    async close() {
      const started = await embedded?.catch(() => undefined);
      // An adopted server was running before and serves the running service.
      if (started?.adopted === false) await started.stop();
    },
  };
}

/** The value of a variable, also from the file that `<name>_FILE` names; undefined when that file cannot be read. */
export function settingOf(name: string, env: Environment): string | undefined {
  try {
    return readConfig(z.object({ [name]: z.string().optional() }), env)[name];
  } catch (error) {
    // The check `configuration` reports it.
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/**
 * Opens a new connection to the service's PostgreSQL for a check: a pooled one would not show that new connections work.
 * @throws errors of PostgreSQL or the network
 */
export async function onDatabase<T>(
  context: DoctorContext,
  work: (client: pg.Client, url: URL) => Promise<T>,
): Promise<T> {
  const connectionString = await context.databaseUrl();
  const options = { connectionString, application_name: 'portal-doctor', query_timeout: 5_000 };
  return await withConnection(options, client => work(client, new URL(connectionString)));
}

/** `onDatabase` for checks of other parts. @throws NotChecked when the database does not answer */
export async function onWorkingDatabase<T>(
  context: DoctorContext,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  let isConnected = false;
  try {
    return await onDatabase(context, client => {
      isConnected = true;
      return work(client);
    });
  } catch (error) {
    if (isConnected || error instanceof ConfigurationError) throw error;
    throw new NotChecked('the database does not answer');
  }
}
