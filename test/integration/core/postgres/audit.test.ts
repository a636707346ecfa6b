import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase('audit');
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`insert into audit_entry (actor_kind, actor, action, target) values ('command', 'me', 'a', '/a')`);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('the audit trail', () => {
  it.each([
    `update audit_entry set actor = 'someone else'`,
    'update audit_entry set id = default where false',
    'delete from audit_entry',
    'truncate audit_entry',
    `insert into audit_entry (id, actor_kind, actor, action, target) overriding system value values (1, 'command', 'x', 'a', '/a') on conflict (id) do update set actor = 'x'`,
  ])('rejects: %s', async statement => {
    await expect(client.query(statement)).rejects.toThrow('append-only');
    const { rows } = await client.query('select actor from audit_entry');
    expect(rows).toEqual([{ actor: 'me' }]);
  });
});
