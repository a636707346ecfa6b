/** A process that starts the embedded PostgreSQL in the given folder, prints its URL, and waits to be killed. */
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../core/postgres/embedded/server.ts';
import { fastSettings } from './test-postgres.ts';

const [dataDir = '.'] = process.argv.slice(2);
const { url } = await startEmbeddedPostgres({
  dataDir,
  logger: pino({ level: 'silent' }),
  extraSettings: fastSettings,
});
process.stdout.write(`${url}\n`);
setInterval(() => undefined, 60_000);
