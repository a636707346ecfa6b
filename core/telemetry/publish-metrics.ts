/** Writes what this process measures into the database every few seconds, so that any API process can tell it. */
import type { Logger } from 'pino';
import { type Repetition, repeat } from '../runtime/interval.ts';
import { registry } from './meter.ts';
import type { ProcessName } from './process-name.ts';
import type { ProcessMetrics } from './snapshots.ts';

const everyMs = 5_000;

export function tellMetrics(metrics: ProcessMetrics, name: ProcessName, logger: Logger): Repetition {
  const telling = repeat('metrics', everyMs, logger, async () =>
    metrics.write({ ...name, snapshot: await registry.getMetricsAsJSON() }),
  );
  return {
    now: telling.now,
    async stop() {
      await telling.stop();
      await metrics
        .remove(name)
        .catch(error => logger.debug({ err: error }, 'the metrics of this process stay for a while'));
    },
  };
}
