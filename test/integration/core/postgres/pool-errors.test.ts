/** Connections that PostgreSQL ends while nobody waits for an answer: nothing of the process goes down with them. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handlePoolErrors } from '../../../../core/postgres/pool-errors.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

let database: TestDatabase;
let pool: pg.Pool;
const lost: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase('lost-connections');
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  handlePoolErrors(pool, reason => lost.push(reason));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('one that is idle in the pool and one that is taken are told of, and the next query opens another', async () => {
  const [idle, taken] = await Promise.all([pool.connect(), pool.connect()]);
  idle.release();
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  await other.end();

  // Some are told of twice: by what PostgreSQL says, and by the end of the connection.
  const ended = () => lost.filter(reason => reason === 'terminating connection due to administrator command');
  await expect.poll(() => ended().length).toBe(2);
  taken.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
