/** Starts one process of the built service for a benchmark, with a PostgreSQL of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../../core/postgres/migrate.ts';
import { buildService } from './service.ts';

export interface BuiltProcess {
  pid: number;
  /** What it reported when it was ready; an API its address. */
  ready: string;
  stop(): Promise<void>;
}

export async function openBuild() {
  const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
  const logger = pino({ level: 'silent' });
  const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
  await migrateDatabase({ url: postgres.url, logger });
  const built = await buildService();

  const close = async (): Promise<void> => {
    await postgres.stop();
    await built.remove();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return {
    /** @param command file in the build, such as `api/main.js`, and its arguments */
    async start([file = '', ...args]: readonly string[], env: Record<string, string>): Promise<BuiltProcess> {
      const child = spawn(process.execPath, [path.join(built.folder, file), ...args], {
        env: {
          ...process.env,
          // As in the image.
          NODE_COMPILE_CACHE: path.join(dataFolder, 'compile-cache'),
          DATA_DIR: dataFolder,
          DATABASE_URL: postgres.url,
          PORT: '0',
          ...env,
        },
        // The log costs its usual time.
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const ready = await new Promise<string>((resolve, reject) => {
        child.on('message', message => {
          if (typeof message === 'object' && 'ready' in message) resolve(String(message.ready));
        });
        child.once('exit', code => reject(new Error(`${file} ended with ${code} before it was ready`)));
      }).catch(async error => {
        await close();
        throw error;
      });
      return {
        pid: child.pid ?? 0,
        ready,
        async stop() {
          child.kill('SIGTERM');
          if (child.exitCode === null) await once(child, 'exit');
        },
      };
    },
    postgresUrl: postgres.url,
    close,
  };
}
