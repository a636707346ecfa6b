/** The Prometheus document: metrics of all processes, each value labelled with its process, and of the whole service. */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import { registry } from './meter.ts';
import type { ProcessName } from './process-metrics.ts';

/** From prom-client's `getMetricsAsJSON`; JSON turns NaN into null. */
const Snapshot = z.array(
  z.looseObject({
    name: z.string(),
    values: z.array(
      z.looseObject({
        value: z.number().nullable(),
        metricName: z.string().optional(),
        labels: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  }),
);

/** @param snapshot of another shape (another version of the service): has no metrics */
export const metricsIn = (snapshot: unknown) => Snapshot.safeParse(snapshot).data ?? [];

export const labelMetrics = ({ process, instance }: ProcessName, snapshot: unknown): object[] =>
  metricsIn(snapshot).map(metric => ({
    ...metric,
    // Labels are unique per process, so nothing is summed or dropped.
    aggregator: 'first',
    values: metric.values
      .filter(({ value }) => value !== null)
      .map(value => ({ ...value, labels: { ...value.labels, process, instance } })),
  }));

/** @param service metrics of the whole service, without process labels */
export const mergeMetrics = async (service: Registry, processes: readonly (readonly object[])[]): Promise<string> =>
  await AggregatorRegistry.aggregate([
    ...processes,
    (await service.getMetricsAsJSON()).map(metric => ({ ...metric, aggregator: 'first' })),
  ]).metrics();

/** The document of this process only. */
export const metricsText = async (own: ProcessName): Promise<string> =>
  await mergeMetrics(new Registry(), [labelMetrics(own, await registry.getMetricsAsJSON())]);

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** Metrics that each scrape reads from the database; a new registry each time, so that no old label remains. */
export function serviceMetrics() {
  const registry = new Registry();
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    registry,
    databaseUp: gauge(
      'portal_database_up',
      '1 when PostgreSQL answered; 0 when the scrape shows the answering process only.',
      [],
    ),
    jobs: gauge('portal_jobs', 'Jobs that have not ended: queued, scheduled (for a retry), running, held.', [
      'kind',
      'state',
    ]),
    oldestWaitingSeconds: gauge(
      'portal_job_oldest_waiting_seconds',
      'Waiting time of the oldest queued job; 0 when none waits.',
      ['kind'],
    ),
    workers: gauge('portal_workers', 'Processes that run jobs of the kind; the kind `scheduler` counts schedulers.', [
      'kind',
    ]),
    alertsOpen: gauge('portal_alerts_open', 'Open alerts by rule.', ['rule']),
  };
}
