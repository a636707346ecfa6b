import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handlePoolErrors } from '../../../../core/postgres/pool-errors.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

let database: TestDatabase;
let pool: pg.Pool;
const lost: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase('pool-errors');
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  handlePoolErrors(pool, reason => lost.push(reason));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('handlePoolErrors reports a lost idle and a lost active connection, and the next query opens another', async () => {
  const [idle, active] = await Promise.all([pool.connect(), pool.connect()]);
  idle.release();
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  await other.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  await other.end();

  // A connection may report twice: PostgreSQL's message, and the end of the connection.
  const ended = () => lost.filter(reason => reason === 'terminating connection due to administrator command');
  await expect.poll(() => ended().length).toBe(2);
  active.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});
