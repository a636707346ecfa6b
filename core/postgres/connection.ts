import pg from 'pg';
import { isSet } from '../runtime/config.ts';
import { codeOf } from '../runtime/error-code.ts';

/** Runs work on a connection of its own, not on a pooled one. */
export async function withConnection<T>(options: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...options });
  // A pending query rejects with the same error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

export const poolerProblem = {
  found: 'a connection pooler answers, which loses notifications and session locks',
  fix: 'set DATABASE_DIRECT_URL to the address of PostgreSQL itself (docs/production.md)',
};

/** What the error of a new connection means, and what to do. @param env decides which setting to name */
export function connectionProblem(error: unknown, env = process.env): { found: string; fix: string } {
  const code = codeOf(error);
  const setting = ['DATABASE_DIRECT_URL', 'DATABASE_URL'].find(name => isSet(name, env)) ?? 'the embedded PostgreSQL';
  if (/^28/.test(code))
    return { found: 'PostgreSQL rejects the login', fix: `correct user and password in ${setting}` };
  if (code === '3D000')
    return { found: 'the database does not exist', fix: `create it, or correct its name in ${setting}` };
  if (error instanceof Error && error.message.startsWith('unsupported startup parameter')) return poolerProblem;
  if (code === '53300')
    return { found: 'PostgreSQL has no free connection', fix: 'raise max_connections, or lower DATABASE_POOL' };
  const reason = code || (error instanceof Error ? error.message : String(error));
  return { found: `cannot connect to PostgreSQL (${reason})`, fix: `start it, or correct ${setting}` };
}
