/** A connection to the service's PostgreSQL for a check, made anew, so that it shows that new ones can be had. */
import pg from 'pg';
import { ConfigurationError } from '../runtime/config.ts';
import { NotChecked } from './check.ts';
import type { DoctorContext } from './context.ts';

/** @throws what PostgreSQL or the network says */
export async function onDatabase<T>(
  context: DoctorContext,
  work: (client: pg.Client, url: URL) => Promise<T>,
): Promise<T> {
  const connectionString = await context.databaseUrl();
  const client = new pg.Client({
    connectionString,
    application_name: 'portal-doctor',
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
  });
  // What is under way rejects with the same.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client, new URL(connectionString));
  } finally {
    await client.end();
  }
}

/** For checks of something else: that the database is down another check says. @throws NotChecked */
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
