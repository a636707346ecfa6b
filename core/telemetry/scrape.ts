/** One text for Prometheus of what all processes measured: each value labelled with the process it is of. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { z } from 'zod';
import type { ProcessName } from './process-name.ts';

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
