/**
 * Measures the use of the CRM's call limit: two processes with continuous background calls and some interactive calls,
 * against the simulated CRM with the vendor's limits (burst of 50, 2 per second). Goals: at least 95 % of the permitted
 * requests are used, none is rejected, interactive calls take less than 2 s at p95. First argument: seconds (240).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import crmSystem from '../core/integrations/crm/system.ts';
import { createCallBudgets } from '../core/integrations/kit/call-budget.ts';
import { withCallContext } from '../core/integrations/kit/call-context.ts';
import { openIntegrationContext } from '../core/integrations/kit/context.ts';
import { openDatabase } from '../core/postgres/client.ts';
import { startEmbeddedPostgres } from '../core/postgres/embedded/server.ts';
import { migrateDatabase } from '../core/postgres/migrate.ts';
import { createLogger } from '../core/telemetry/logger.ts';
import { buildSandbox } from '../sandbox/build-sandbox.ts';
import { figure } from './support/results.ts';

const seconds = Number(process.argv[2] ?? 240);
const permitted = 50 + 2 * seconds;
const secondsBetweenInteractiveCalls = 3;
const workersPerProcess = 4;

const Received = z.object({ total: z.int(), byStatus: z.record(z.string(), z.int()) });

const dataFolder = await mkdtemp(path.join(os.tmpdir(), 'portal-bench-'));
const logger = createLogger('bench', { NODE_ENV: 'production', LOG_LEVEL: 'fatal' });
const postgres = await startEmbeddedPostgres({ dataDir: dataFolder, logger });
await migrateDatabase({ url: postgres.url, logger });
const sandbox = await buildSandbox();
const sandboxUrl = await sandbox.listen({ port: 0, host: '127.0.0.1' });

/** Opens a database pool, call budgets and a CRM client, as each process does. */
function openProcess() {
  const database = openDatabase({ url: postgres.url, poolSize: 5, logger, applicationName: 'bench' });
  const budgets = createCallBudgets(database);
  const crm = crmSystem.client(openIntegrationContext({ env: {}, sandboxUrl, budgets, logger }));
  return { crm, close: () => database.close() };
}

const processes = [openProcess(), openProcess()];
const waits: number[] = [];
const end = new AbortController();
const isOver = (): boolean => end.signal.aborted;

async function callContinuously({ crm }: (typeof processes)[number]): Promise<void> {
  const once = () => withCallContext({ priority: 'background', signal: end.signal }, () => crm.products.get(1));
  while (!isOver())
    await once().catch(error => {
      if (!isOver()) throw error;
    });
}

async function callInteractively({ crm }: (typeof processes)[number]): Promise<void> {
  while (!isOver()) {
    await sleep(Math.random() * 2_000 * secondsBetweenInteractiveCalls, undefined, {
      signal: end.signal,
    }).catch(() => {});
    const startedAt = performance.now();
    await withCallContext({ priority: 'interactive' }, () => crm.products.get(1));
    waits.push(performance.now() - startedAt);
  }
}

try {
  setTimeout(() => end.abort(), seconds * 1_000);
  await Promise.all([
    ...processes.flatMap(each => Array.from({ length: workersPerProcess }, () => callContinuously(each))),
    ...processes.map(callInteractively),
  ]);
  const { total, byStatus } = Received.parse(await (await fetch(`${sandboxUrl}/control/crm/requests`)).json());
  const p95 = waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? Number.NaN;
  figure(`requests in ${seconds} s, of those permitted`, total, '', { baseline: permitted, goal: 'at least 0.95' });
  figure('rejected requests', byStatus['503'] ?? 0, '', { goal: '0' });
  figure('interactive calls at p95', p95, 'ms', { goal: 'under 2,000' });
  figure('interactive calls, maximum', waits.at(-1) ?? Number.NaN, 'ms');
} finally {
  await Promise.all(processes.map(each => each.close()));
  await sandbox.close();
  await postgres.stop();
  await rm(dataFolder, { recursive: true, force: true });
}
