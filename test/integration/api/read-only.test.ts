/** PostgreSQL is read-only for a while, as after a failover whose old primary is still connected. */
import { expect, it } from 'vitest';
import { withConnection } from '../../../core/postgres/connection.ts';
import { useTrials } from '../../support/use-trials.ts';

const { service, trials } = useTrials('read-only');

/** New sessions have the setting; existing ones are ended only when it begins. */
async function setReadOnly(isReadOnly: boolean): Promise<void> {
  const name = new URL(service.databaseUrl).pathname.slice(1);
  await withConnection({ connectionString: service.databaseUrl }, async client => {
    await client.query('set default_transaction_read_only = off');
    await client.query(
      `alter database ${name} ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
    );
    if (isReadOnly)
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
  });
}

it('answers 503 with Retry-After to what writes, and all of it at once after that', async () => {
  const client = await service.client(['trial']);
  trials.when('late', async () => 'done');
  const submit = () =>
    client.request('POST', '/trials/trial', {
      body: { name: 'late' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
  await setReadOnly(true);
  for (let round = 0; round < 12; round += 1) {
    const { status, headers, body } = await submit();
    expect([status, body]).toMatchObject([503, { code: 'service-unavailable' }]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await setReadOnly(false);
  // No connection that was opened meanwhile is used again.
  await expect.poll(async () => (await submit()).status).toBe(202);
  const answers = await Promise.all(Array.from({ length: 10 }, submit));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
});

it('hands the job back without an attempt when its outcome cannot be written', async () => {
  const client = await service.client(['trial']);
  trials.when('ends while read-only', async () => {
    await setReadOnly(true);
    setTimeout(() => void setReadOnly(false), 1_000);
    return 'done';
  });
  const { id } = await client.requestJob('POST', '/trials/trial', { body: { name: 'ends while read-only' } });
  await expect.poll(async () => (await service.records.find(id))?.state, { timeout: 30_000 }).toBe('succeeded');
});
