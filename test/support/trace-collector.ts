/** A trace collector on loopback: records spans received as OTLP over HTTP in JSON. */
import { z } from 'zod';
import { startLoopbackServer } from './loopback-server.ts';

const Attribute = z.object({
  key: z.string(),
  value: z.looseObject({ stringValue: z.string().optional(), intValue: z.union([z.string(), z.number()]).optional() }),
});
const attributes = z
  .array(Attribute)
  .default([])
  .transform(list =>
    Object.fromEntries(list.map(({ key, value }) => [key, value.stringValue ?? String(value.intValue)])),
  );

const SentSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes,
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).optional(),
});
export type SentSpan = z.infer<typeof SentSpan> & { service: string | undefined };

const Export = z.object({
  resourceSpans: z.array(
    z.object({ resource: z.object({ attributes }), scopeSpans: z.array(z.object({ spans: z.array(SentSpan) })) }),
  ),
});

export interface TraceCollector {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string;
  spans(): SentSpan[];
  /** All received bodies. */
  bodies(): string;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    endpoint: server.origin,
    spans: () =>
      bodies.flatMap(body =>
        Export.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map(span => ({ ...span, service: resource.attributes['service.name'] })),
          ),
        ),
      ),
    bodies: () => bodies.join('\n'),
    close: server.close,
  };
}
