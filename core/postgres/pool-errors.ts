/** Keeps a process alive when connections of a pool to PostgreSQL are lost. */
import type { Pool } from 'pg';
import { ofNobody } from '../telemetry/log-context.ts';

/**
 * Without these listeners, a lost connection would end the process: idle ones report to the pool, and ones in the
 * middle of a transaction to themselves only. The pool drops them, and the next query opens another.
 * @param tell is given the reason, not the error: the pool hangs the client on it, password included
 */
export function surviveLostConnections(pool: Pool, tell: (reason: string) => void): void {
  pool.on('connect', client => {
    client.on(
      'error',
      ofNobody(({ message }: Error) => tell(message)),
    );
  });
  pool.on('error', () => {
    // Told already by the connection's own listener.
  });
}
