/** Test databases are migrated, empty, isolated from each other, and removed when dropped. */
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { cloneTestDatabase, startTestServer } from '../../support/test-postgres.ts';

vi.setConfig({ testTimeout: 30_000 });

it('gives each test a migrated database of its own', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.stop());
  const [one, other] = await Promise.all([
    cloneTestDatabase(server, 'same name'),
    cloneTestDatabase(server, 'same name'),
  ]);
  expect(one.url).not.toBe(other.url);

  const client = new pg.Client({ connectionString: one.url });
  client.on('error', () => undefined); // drop cuts it
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int > 0 AS migrated FROM drizzle.__drizzle_migrations');
  expect(rows).toEqual([{ migrated: true }]);
  await one.drop();
  await expect(client.query('SELECT 1')).rejects.toThrow();
  await other.drop();
});
