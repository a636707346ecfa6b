/** `npm run client`: administers OAuth clients on the machine of the service, whether the service runs or not. */
import { existsSync } from 'node:fs';
import os from 'node:os';
import { z } from 'zod';
import { configurationExitCode } from '../../core/cli/run-process.ts';
import { createOauthClients } from '../../core/oauth/clients.ts';
import { DatabaseConfig, openDatabase } from '../../core/postgres/client.ts';
import { withPostgres } from '../../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';
import { ConfigurationError, readConfig } from '../../core/runtime/config.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { ServiceConfig } from '../../core/runtime/service-config.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import { createLogger } from '../../core/telemetry/logger.ts';
import { allScopes, loadOperations } from '../http/load-operations.ts';
import { CommandError, runClientCommand, usage } from './client-command.ts';

const Config = z.object({ ...ServiceConfig.shape, ...DatabaseConfig.shape, ...StorageConfig.shape });

async function run(args: readonly string[]): Promise<string> {
  if (args.length === 0) throw new CommandError(usage);
  if (args.includes('--help')) return usage;
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = readConfig(Config);
  const logger = createLogger('client', { ...config, LOG_LEVEL: 'warn' });
  return await withPostgres(config, logger, async url => {
    await migrateDatabase({ url, logger });
    const database = openDatabase({ url, poolSize: 1, logger, applicationName: 'portal-client' });
    try {
      return await runClientCommand(args, {
        clients: createOauthClients(database),
        scopes: allScopes(await loadOperations()),
        by: { kind: 'command', name: os.userInfo().username },
      });
    } finally {
      await database.close();
    }
  });
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  const expected =
    error instanceof CommandError || error instanceof ServiceError || error instanceof ConfigurationError;
  process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : error}\n`);
  process.exitCode = error instanceof ConfigurationError ? configurationExitCode : 1;
}
