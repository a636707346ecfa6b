/** What checks look at: the settings, and what is reached by them, each opened when first asked for. */
import path from 'node:path';
import { pino } from 'pino';
import type { z } from 'zod';
import { openSystemGround, type SystemGround } from '../integrations/kit/context.ts';
import { DatabaseConfig } from '../postgres/config.ts';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import { readConfig } from '../runtime/config.ts';
import { SandboxConfig } from '../runtime/sandbox-config.ts';
import { ServiceConfig } from '../runtime/service-config.ts';
import { StorageConfig } from '../storage/config.ts';
import { NotChecked } from './check.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DoctorContext {
  env: Environment;
  /** @throws ConfigurationError */
  read<T extends z.ZodObject>(declaration: T): z.output<T>;
  /** @throws NotChecked when the embedded PostgreSQL does not start */
  databaseUrl(): Promise<string>;
  systems(): Promise<SystemGround>;
}

export interface OpenDoctorContext extends DoctorContext {
  /** Stops what was started for the checks alone. */
  close(): Promise<void>;
}

/** The context of a process that has all of it open. */
export const contextOf = (systems: SystemGround): DoctorContext => ({
  env: systems.env,
  read: declaration => readConfig(declaration, systems.env),
  async databaseUrl() {
    if (systems.databaseUrl === undefined) throw new NotChecked('the process has no database');
    return systems.databaseUrl;
  },
  systems: async () => systems,
});

const silent = pino({ level: 'silent' });

/** One call to each system fits into the margin that the budgets leave: none is drawn, so that no database is needed. */
const withoutBudget = { take: async () => undefined, block: async () => {} };

/** The context of a command, which nobody has opened anything for. */
export function openContext(env: Environment): OpenDoctorContext {
  let embedded: ReturnType<typeof startEmbeddedPostgres> | undefined;
  let ground: SystemGround | undefined;
  const read: DoctorContext['read'] = declaration => readConfig(declaration, env);

  async function databaseUrl(): Promise<string> {
    const { DATABASE_URL } = read(DatabaseConfig);
    if (DATABASE_URL !== undefined) return DATABASE_URL;
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
      ground ??= openSystemGround({
        env,
        sandboxUrl: NODE_ENV === 'development' ? `http://${SANDBOX_HOST}:${SANDBOX_PORT}` : undefined,
        ...(url !== undefined && { databaseUrl: url }),
        budgets: withoutBudget,
        logger: silent,
      });
      return ground;
    },
    async close() {
      const started = await embedded?.catch(() => undefined);
      // One that ran already serves the running service.
      if (started?.adopted === false) await started.stop();
    },
  };
}
