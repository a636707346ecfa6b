/** Starts a process's metrics and, with a collector configured, its traces. */
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { z } from 'zod';
import { httpUrl } from '../runtime/config.ts';
import { registry } from './meter.ts';
import { useTracing } from './spans.ts';

/** The exporter reads the other variables of OpenTelemetry (headers, sampler) itself. */
export const TelemetryConfig = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('URL of an OTLP/HTTP collector, such as http://localhost:4318; unset: no traces.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('Full URL for traces, where it differs, such as http://localhost:4318/v1/traces.'),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;

/** Call it once, before the process opens queues and connections. @returns `stop` sends the remaining spans */
export async function startTelemetry(name: string, config: TelemetryConfig, logger: Logger) {
  registry.setDefaultLabels({ process: name });
  collectDefaultMetrics({ register: registry });
  const url = tracesUrl(config);
  if (url === undefined) return { stop: async () => undefined };
  const { openTelemetry } = await import('./open-telemetry.ts');
  const tracing = openTelemetry(name, url, logger);
  useTracing(tracing);
  logger.info('sending traces to the collector');
  return { stop: tracing.close };
}

/** Source: OpenTelemetry Protocol Exporter specification, endpoint URLs for OTLP/HTTP. */
function tracesUrl({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: full,
  OTEL_EXPORTER_OTLP_ENDPOINT: base,
}: TelemetryConfig): string | undefined {
  return full ?? (base === undefined ? undefined : `${base}/v1/traces`);
}
