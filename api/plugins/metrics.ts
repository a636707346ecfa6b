/** Counts and times requests, and tells at `/metrics` what all processes of the service measure, for Prometheus. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { countJobs } from '../../core/jobs/repository/open-counts.ts';
import { httpRequests, httpSeconds, registry } from '../../core/telemetry/meter.ts';
import { nameProcess } from '../../core/telemetry/process-name.ts';
import { labelled, toldTogether } from '../../core/telemetry/scrape.ts';
import { type ServiceMetrics, serviceMetrics } from '../../core/telemetry/service-metrics.ts';
import { createProcessMetrics } from '../../core/telemetry/snapshots.ts';
import type { ApiServices } from '../services.ts';
import { openToAll } from './bearer.ts';
import { requireOps } from './ops-login.ts';

/** A scrape that takes longer is worth less than one that tells of this process only, in ms. */
const databasePatienceMs = 2_000;

export function countRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async ({ routeOptions, is404 }, reply) => {
    const operation = routeOptions.config.operationId ?? (is404 ? 'no-such-path' : 'other');
    const labels = { operation, status: String(reply.statusCode) };
    httpRequests.inc(labels);
    httpSeconds.observe(labels, reply.elapsedTime / 1_000);
  });
}

export async function mountMetrics(app: FastifyInstance, services: ApiServices): Promise<void> {
  const path = `${services.config.BASE_PATH}/metrics`;
  await app.register(async scraped => {
    openToAll(scraped);
    scraped.get(path, { config: { operationId: 'ops.readMetrics' } }, async (request, reply) => {
      await requireOps(request, services);
      return reply
        .header('cache-control', 'no-store')
        .type(registry.contentType)
        .send(await tellAll(services));
    });
  });
}

async function tellAll(services: ApiServices): Promise<string> {
  const own = nameProcess('api');
  const whole = serviceMetrics();
  const others = await readDatabase(whole, services).catch((error: unknown) => {
    services.logger.warn(
      { err: error },
      'the metrics tell of this process only: the database does not answer',
    );
    whole.databaseUp.set(0);
    return [];
  });
  const isOther = ({ instance }: { instance: string }) => instance !== own.instance;
  return await toldTogether(whole.registry, [
    labelled(own, await registry.getMetricsAsJSON()),
    ...others.filter(isOther).map(other => labelled(other, other.snapshot)),
  ]);
}

/** Fills in what belongs to the whole service. @returns what the processes measured */
async function readDatabase(whole: ServiceMetrics, { database, contracts, heartbeats: signs }: ApiServices) {
  const reading = Promise.all([
    createProcessMetrics(database).read(),
    countJobs(database, [...contracts.keys()]),
    signs.read(),
    listOpenAlerts(database),
  ]);
  const [processes, census, workers, alerts] = await Promise.race([reading, tooLate()]);
  whole.databaseUp.set(1);
  for (const { kind, oldestWaitingSeconds, ...counts } of census) {
    whole.oldestWaitingSeconds.set({ kind }, oldestWaitingSeconds);
    for (const [state, count] of Object.entries(counts)) whole.jobs.set({ kind, state }, count);
  }
  for (const kind of contracts.keys()) whole.workers.set({ kind }, 0);
  for (const { kind, alive } of workers) whole.workers.set({ kind }, alive);
  for (const { rule } of alerts) whole.alertsOpen.inc({ rule });
  return processes;
}

async function tooLate(): Promise<never> {
  await sleep(databasePatienceMs, undefined, { ref: false });
  throw new Error(`no answer within ${databasePatienceMs} ms`);
}
