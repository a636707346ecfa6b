/**
 * How much of what the CRM permits is used: two processes' worth of background work without end, and people who ask in
 * between, against the simulated CRM with its true limits (50 at once, 2 a second). Goals: at least 95 % of the permitted
 * requests spent, none refused, and 95 of 100 people wait less than 2 s. Seconds to run: the first argument, else 240.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import crmSystem from '../core/integrations/crm/system.ts';
import { createCallBudgets } from '../core/integrations/kit/call-budget-rows.ts';
import { inCallScope } from '../core/integrations/kit/call-context.ts';
import { openSystemGround } from '../core/integrations/kit/context.ts';
import { openDatabase } from '../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { createLogger } from '../core/runtime/logger.ts';
import { buildSandbox } from '../sandbox/build-sandbox.ts';

const seconds = Number(process.argv[3] ?? 240);
const permitted = 50 + 2 * seconds;
const secondsBetweenPeople = 3;
const workersAProcess = 4;

const Received = z.object({ total: z.int(), byStatus: z.record(z.string(), z.int()) });

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
await migrateDatabase({ url: postgres.url, logger });
const sandbox = await buildSandbox();
const sandboxUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });

/** What a process has of its own. */
function openProcess() {
  const database = openDatabase({ url: postgres.url, poolSize: 5, logger, applicationName: 'bench' });
  const budgets = createCallBudgets(database);
  const crm = crmSystem.at(openSystemGround({ env: {}, sandboxUrl, budgets, logger }));
  return { crm, close: () => database.close() };
}

const processes = [openProcess(), openProcess()];
const waits: number[] = [];
const end = new AbortController();
const isOver = (): boolean => end.signal.aborted;

async function workOn({ crm }: (typeof processes)[number]): Promise<void> {
  const once = () => inCallScope({ priority: 'background', signal: end.signal }, () => crm.products.get(1));
  while (!isOver())
    await once().catch(error => {
      if (!isOver()) throw error;
    });
}

async function askNowAndThen({ crm }: (typeof processes)[number]): Promise<void> {
  while (!isOver()) {
    await sleep(Math.random() * 2_000 * secondsBetweenPeople, undefined, { signal: end.signal }).catch(
      () => {},
    );
    const begun = performance.now();
    await inCallScope({ priority: 'interactive' }, () => crm.products.get(1));
    waits.push(performance.now() - begun);
  }
}

try {
  setTimeout(() => end.abort(), seconds * 1_000);
  await Promise.all([
    ...processes.flatMap(each => Array.from({ length: workersAProcess }, () => workOn(each))),
    ...processes.map(askNowAndThen),
  ]);
  const { total, byStatus } = Received.parse(
    await (await fetch(`${sandboxUrl}/control/crm/requests`)).json(),
  );
  const p95 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? Number.NaN;
  process.stdout.write(
    `${seconds} s: ${total} of ${permitted} permitted requests, ratio ${(total / permitted).toFixed(3)}  goal at least 0.950\n` +
      `refused ${byStatus['503'] ?? 0}  goal 0\n` +
      `${waits.length} people waited ${p95.toFixed(0)} ms at p95, ${waits.at(-1)?.toFixed(0)} ms at most  goal p95 under 2000 ms\n`,
  );
} finally {
  await Promise.all(processes.map(each => each.close()));
  await sandbox.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
