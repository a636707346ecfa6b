/** Starts what a process measures of itself and, where a collector is configured, its traces. */
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { z } from 'zod';
import { httpAddress } from '../runtime/config.ts';
import { registry } from './meter.ts';
import { nameProcess } from './process-metrics.ts';
import { useTracing } from './spans.ts';

export interface Telemetry {
  /** Sends what was not sent yet. */
  stop(): Promise<void>;
}

/** To be called once, before queues and connections are opened. */
export async function startTelemetry(
  name: string,
  config: TelemetryConfig,
  logger: Logger,
): Promise<Telemetry> {
  collectDefaultMetrics({ register: registry });
  const url = tracesUrl(config);
  if (url === undefined) return { stop: async () => undefined };
  const { openTelemetry } = await import('./open-telemetry.ts');
  const tracing = openTelemetry(nameProcess(name), url, logger);
  useTracing(tracing);
  logger.info('traces are sent to the collector');
  return { stop: tracing.close };
}

/** As the OpenTelemetry Protocol Exporter specification makes it of the two variables. */
function tracesUrl({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole,
  OTEL_EXPORTER_OTLP_ENDPOINT: base,
}: TelemetryConfig): string | undefined {
  return whole ?? (base === undefined ? undefined : `${base}/v1/traces`);
}

export const TelemetryConfig = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress
    .optional()
    .describe('A collector that takes OTLP over HTTP, such as http://localhost:4318; unset: no traces.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress
    .optional()
    .describe('The whole address for traces, such as http://localhost:4318/v1/traces, where it differs.'),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;
