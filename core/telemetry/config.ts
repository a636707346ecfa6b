/** Where traces go. The exporter reads the further variables of OpenTelemetry (headers, sampler) by itself. */
import { z } from 'zod';
import { httpAddress } from '../runtime/config.ts';

export const TelemetryConfig = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress
    .optional()
    .describe('A collector that takes OTLP over HTTP, such as http://localhost:4318; unset: no traces.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpAddress
    .optional()
    .describe('The whole address for traces, such as http://localhost:4318/v1/traces, where it differs.'),
});
export type TelemetryConfig = z.infer<typeof TelemetryConfig>;
