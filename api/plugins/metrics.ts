/** `/metrics` for Prometheus: the metrics of all processes of the service. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { listOpenAlerts } from '../../core/alerts/open-alerts.ts';
import { countOpenJobs } from '../../core/jobs/repository/open-counts.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { withTimeout } from '../../core/runtime/timeout.ts';
import { registry } from '../../core/telemetry/meter.ts';
import { createProcessMetrics, nameProcess } from '../../core/telemetry/process-metrics.ts';
import { labelMetrics, mergeMetrics, type ServiceMetrics, serviceMetrics } from '../../core/telemetry/scrape.ts';
import type { ApiServices } from '../services.ts';
import { skipTokenCheck } from './bearer.ts';
import { requireOps } from './ops-login.ts';

/** `service`: without the metrics of single processes, which answer scrapes themselves at METRICS_PORT. */
const Query = z.strictObject({ of: z.enum(['all', 'service']).default('all') });
type Query = z.infer<typeof Query>;

/** After this time the answer contains the metrics of this process only. */
const databaseTimeoutMs = 2_000;

export async function mountMetrics(app: FastifyInstance, services: ApiServices): Promise<void> {
  const path = `${services.config.BASE_PATH}/metrics`;
  await app.register(async scraped => {
    skipTokenCheck(scraped);
    scraped.get(path, { config: { operationId: 'ops.readMetrics' } }, async (request, reply) => {
      await requireOps(request, services);
      const query = Query.safeParse(request.query);
      if (!query.success) throw new ServiceError('invalid-input', 'The query may have only of=all or of=service.');
      return reply
        .header('cache-control', 'no-store')
        .type(registry.contentType)
        .send(await metricsOf(query.data.of, services));
    });
  });
}

async function metricsOf(what: Query['of'], services: ApiServices): Promise<string> {
  const own = nameProcess('api');
  const whole = serviceMetrics();
  const reading = withTimeout(readDatabase(what, services), databaseTimeoutMs);
  const others = await reading.then(
    measured => setServiceMetrics(whole, measured, services),
    (error: unknown) => {
      services.logger.warn({ err: error }, 'cannot read the database; /metrics contains this process only');
      whole.databaseUp.set(0);
      return [];
    },
  );
  if (what === 'service') return await whole.registry.metrics();
  const isOther = ({ instance }: { instance: string }) => instance !== own.instance;
  return await mergeMetrics(whole.registry, [
    labelMetrics(own, await registry.getMetricsAsJSON()),
    ...others.filter(isOther).map(other => labelMetrics(other, other.snapshot)),
  ]);
}

async function readDatabase(what: Query['of'], { database, contracts, heartbeats }: ApiServices) {
  const [processes, openCounts, workers, alerts] = await Promise.all([
    what === 'all' ? createProcessMetrics(database).read() : [],
    countOpenJobs(database, [...contracts.keys()]),
    heartbeats.read(),
    listOpenAlerts(database),
  ]);
  return { processes, openCounts, workers, alerts };
}

/** @returns the metrics of the single processes */
function setServiceMetrics(
  whole: ServiceMetrics,
  { processes, openCounts, workers, alerts }: Awaited<ReturnType<typeof readDatabase>>,
  { contracts }: ApiServices,
) {
  whole.databaseUp.set(1);
  for (const { kind, oldestWaitingSeconds, ...counts } of openCounts) {
    whole.oldestWaitingSeconds.set({ kind }, oldestWaitingSeconds);
    for (const [state, count] of Object.entries(counts)) whole.jobs.set({ kind, state }, count);
  }
  for (const kind of contracts.keys()) whole.workers.set({ kind }, 0);
  for (const { kind, alive } of workers) whole.workers.set({ kind }, alive);
  for (const { rule } of alerts) whole.alertsOpen.inc({ rule });
  return processes;
}
