import { once } from 'node:events';
import net from 'node:net';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../core/postgres/embedded/server.ts';
import { listen } from '../../../../core/postgres/listen.ts';
import { fastSettings, removeServer, temporaryFolder } from '../../../support/test-postgres.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 });

const logger = pino({ level: 'silent' });
const poolSize = 3;

let dataDir: string;
let server: EmbeddedPostgres;
let database: Database;

const start = () => startEmbeddedPostgres({ dataDir, logger, extraSettings: fastSettings });

beforeAll(async () => {
  dataDir = await temporaryFolder();
  server = await start();
});
afterAll(() => removeServer(dataDir));
beforeEach(() => {
  const opened = openDatabase({ url: server.url, poolSize, logger, applicationName: 'test' });
  database = opened;
  onTestFinished(() => opened.close());
});

async function restart(): Promise<void> {
  await server.stop();
  await start();
}

/** Uses every connection of the pool, so that a lost one is noticed. */
async function queryOnAll(): Promise<void> {
  await Promise.all(
    Array.from({ length: poolSize }, () =>
      database.transaction(async tx => {
        await tx.execute(sql`SELECT pg_sleep(0.01)`);
      }),
    ),
  );
}

describe('the pool', () => {
  it('answers queries after a restart of PostgreSQL with idle connections', async () => {
    await queryOnAll();
    await restart();
    await queryOnAll();
    expect(database.pool.totalCount).toBe(poolSize);
  });

  it('rejects the transaction that a restart interrupts, and answers later queries', async () => {
    const interrupted = database.transaction(async tx => {
      await tx.execute(sql`SELECT 1`);
      await restart();
      await tx.execute(sql`SELECT 1`);
    });
    await expect(interrupted).rejects.toThrow();
    await queryOnAll();
  });

  it('gets the connection back when a transaction cannot begin', async () => {
    await queryOnAll();
    for (let round = 0; round < poolSize; round += 1) {
      // The pool hands out the broken connection next, because it has not noticed its end.
      const client = await database.pool.connect();
      client.release();
      client.connection.stream.destroy();
      await expect(database.transaction(async () => undefined)).rejects.toThrow();
    }
    await queryOnAll();
  });

  it('rolls back a transaction that throws, commits one that does not', async () => {
    await database.execute(sql`CREATE TABLE counted (n int)`);
    const failing = database.transaction(async tx => {
      await tx.execute(sql`INSERT INTO counted VALUES (1)`);
      throw new Error('roll back');
    });
    await expect(failing).rejects.toThrow('roll back');
    await database.transaction(tx => tx.execute(sql`INSERT INTO counted VALUES (2)`));
    expect((await database.execute(sql`SELECT n FROM counted`)).rows).toEqual([{ n: 2 }]);
  });

  it('cancels a statement after the statement timeout', async () => {
    const limited = openDatabase({
      url: server.url,
      poolSize: 1,
      logger,
      applicationName: 'test',
      statementTimeoutMs: 20,
    });
    onTestFinished(() => limited.close());
    await expect(limited.execute(sql`SELECT pg_sleep(5)`)).rejects.toMatchObject({ cause: { code: '57014' } });
  });

  it('closes once when close is called twice', async () => {
    await database.execute(sql`SELECT 1`);
    await Promise.all([database.close(), database.close()]);
    expect(database.pool.totalCount).toBe(0);
  });
});

describe('the listener', () => {
  const notify = (payload: string) => database.execute(sql`SELECT pg_notify('a channel', ${payload})`);

  it('receives notifications, reports each connect, and calls nothing after close', async () => {
    const received: string[] = [];
    const onConnect = vi.fn();
    const listener = listen(server.url, 'a channel', payload => void received.push(payload), { logger, onConnect });
    onTestFinished(() => listener.close());

    await expect.poll(() => onConnect).toHaveBeenCalledTimes(1);
    await notify('one');
    await expect.poll(() => received).toEqual(['one']);

    await restart();
    await expect.poll(() => onConnect).toHaveBeenCalledTimes(2);
    await notify('two');
    await expect.poll(() => received).toEqual(['one', 'two']);

    await listener.close();
    await notify('three');
    const connections = sql`SELECT pid FROM pg_stat_activity WHERE application_name = 'listen a channel'`;
    await expect.poll(async () => (await database.execute(connections)).rows).toEqual([]);
    expect(received).toEqual(['one', 'two']);
  });

  it('continues after its callback fails', async () => {
    const received: string[] = [];
    const onConnect = vi.fn();
    const listener = listen(
      server.url,
      'a channel',
      async payload => {
        received.push(payload);
        throw new Error('callback failed');
      },
      { logger, onConnect },
    );
    onTestFinished(() => listener.close());
    await expect.poll(() => onConnect).toHaveBeenCalled();
    await notify('one');
    await notify('two');
    await expect.poll(() => received).toEqual(['one', 'two']);
  });

  it('closes at once while PostgreSQL is unreachable', async () => {
    const warn = vi.fn();
    const listener = listen('postgres://nobody@127.0.0.1:1/none', 'c', () => undefined, {
      logger: pino({ level: 'warn' }, { write: warn }),
    });
    await expect.poll(() => warn).toHaveBeenCalled();
    await listener.close();
  });

  it('closes at once while PostgreSQL does not answer', async () => {
    const silent = net.createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const listener = listen(`postgres://nobody@127.0.0.1:${port}/none`, 'c', () => undefined, { logger });
    const [socket] = await once(silent, 'connection');
    await listener.close();
    expect(socket.readyState).not.toBe('closed');
    socket.destroy();
  });
});
