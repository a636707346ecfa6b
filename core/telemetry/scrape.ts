/** One text for Prometheus of what all processes measured: each value labelled with the process it is of. */
import { AggregatorRegistry, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import type { ProcessName } from './process-metrics.ts';

/** As prom-client gives it with `getMetricsAsJSON`; JSON has no NaN, so that such a value comes as null. */
const Snapshot = z.array(
  z.looseObject({
    name: z.string(),
    values: z.array(
      z.looseObject({
        value: z.number().nullable(),
        labels: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    ),
  }),
);

/** @param snapshot one that cannot be read, as of another version of the service, is left out */
export function labelled({ process, instance }: ProcessName, snapshot: unknown): object[] {
  const metrics = Snapshot.safeParse(snapshot).data ?? [];
  return metrics.map(metric => ({
    ...metric,
    // No two processes have the same labels, so nothing is added up or left out.
    aggregator: 'first',
    values: metric.values
      .filter(({ value }) => value !== null)
      .map(value => ({ ...value, labels: { ...value.labels, process, instance } })),
  }));
}

/** @param whole of the service, without a process */
export const toldTogether = async (
  whole: Registry,
  processes: readonly (readonly object[])[],
): Promise<string> =>
  await AggregatorRegistry.aggregate([
    ...processes,
    (await whole.getMetricsAsJSON()).map(metric => ({ ...metric, aggregator: 'first' })),
  ]).metrics();

export interface ServiceMetrics {
  registry: Registry;
  databaseUp: Gauge;
  jobs: Gauge<'kind' | 'state'>;
  oldestWaitingSeconds: Gauge<'kind'>;
  workers: Gauge<'kind'>;
  alertsOpen: Gauge<'rule'>;
}

/** A new one for each answer: what is no more must not stay in it. */
export function serviceMetrics(): ServiceMetrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    databaseUp: new Gauge({
      name: 'portal_database_up',
      help: 'Whether PostgreSQL answered: 1, or 0 when only the answering process could be told of.',
      registers,
    }),
    jobs: new Gauge({
      name: 'portal_jobs',
      help: 'Jobs that are not over: queued, scheduled (tried again later), running, held.',
      labelNames: ['kind', 'state'],
      registers,
    }),
    oldestWaitingSeconds: new Gauge({
      name: 'portal_job_oldest_waiting_seconds',
      help: 'How long the oldest queued job has been waiting; 0 when none waits.',
      labelNames: ['kind'],
      registers,
    }),
    workers: new Gauge({
      name: 'portal_workers',
      help: 'Processes that take jobs of the kind; of the kind scheduler: schedulers.',
      labelNames: ['kind'],
      registers,
    }),
    alertsOpen: new Gauge({
      name: 'portal_alerts_open',
      help: 'Alerts that are open, by rule.',
      labelNames: ['rule'],
      registers,
    }),
  };
}
