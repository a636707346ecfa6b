/** Starts the embedded PostgreSQL again when it has died: it is no child of ours, so that it outlives a killed supervisor. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../postgres/embedded/server.ts';
import type { Logger } from '../telemetry/logger.ts';

const lookEveryMs = 2_000;

export interface KeptPostgres {
  /** Waits for the look under way; PostgreSQL runs on. */
  stop(): Promise<void>;
}

export function keepPostgres(url: string, dataDir: string, logger: Logger): KeptPostgres {
  const stopping = new AbortController();
  const keep = async () => {
    while (!stopping.signal.aborted) {
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted || !(await isDown(url))) continue;
      logger.warn('the embedded PostgreSQL is down; it is started again');
      await startEmbeddedPostgres({ dataDir, logger }).catch(error =>
        logger.error({ err: error }, 'the embedded PostgreSQL could not be started; it is tried again'),
      );
    }
  };
  const done = keep();
  return {
    stop() {
      stopping.abort();
      return done;
    },
  };
}

/** Only where nobody listens: a server that starts, stops or is full answers for itself. */
async function isDown(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
  } finally {
    await client.end();
  }
}
