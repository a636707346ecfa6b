/**
 * Traces by OpenTelemetry, sent to a collector. Loaded only with a collector configured.
 *
 * Spans of requests and outside calls are made by our own code: `@fastify/otel` would export the full URL with its query
 * and lose the context while a body is read; `instrumentation-undici` would export the CRM's URL, whose path is secret.
 */
import os from 'node:os';
import { context, DiagLogLevel, diag, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { BullMQOtel } from 'bullmq-otel';
import type { Logger } from 'pino';
import { withTimeout } from '../runtime/timeout.ts';
import { withoutLogContext } from './log-context.ts';
import type { Span, SpanOptions, Tracing } from './spans.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** Maximum delay of the process's end by a collector that does not answer. */
const shutdownTimeoutMs = 3_000;

/** @param processName `api`, `worker` or `scheduler` @param url where the collector takes traces */
export function openTelemetry(processName: string, url: string, logger: Logger): Tracing & { close(): Promise<void> } {
  // OpenTelemetry's timer runs in the context of the request or job that started it.
  const warn = withoutLogContext((message: string) =>
    logger.warn({ reason: message.slice(0, 300) }, 'the collector did not accept the traces'),
  );
  diag.setLogger({ error: warn, warn, info: () => {}, debug: () => {}, verbose: () => {} }, DiagLogLevel.WARN);
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.namespace': 'portal-service',
          'service.name': `portal-${processName}`,
          'service.instance.id': `${os.hostname()}:${process.pid}`,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(redacted(new OTLPTraceExporter({ url })))],
  });
  provider.register();
  const tracer = trace.getTracer('portal-service');

  function open(name: string, { role, attributes, carriedBy }: SpanOptions): Span {
    const active = context.active();
    const parent = carriedBy ? propagation.extract(active, traceContextOf(carriedBy)) : active;
    const span = tracer.startSpan(name, { kind: kinds[role], attributes: { ...attributes } }, parent);
    const inside = trace.setSpan(parent, span);
    return {
      within: work => context.with(inside, work),
      set: more => void span.setAttributes({ ...more }),
      rename: other => void span.updateName(other),
      end(failed) {
        if (failed !== undefined) span.setAttribute('error.type', failed).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return {
    open,
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    queueTelemetry: new BullMQOtel({ tracerName: 'bullmq' }),
    /** Sends the remaining spans. */
    close: () => withTimeout(provider.shutdown(), shutdownTimeoutMs, () => undefined),
  };
}

/** Without the caller's baggage, which may hold any data and would be stored in the queue. */
const traceContextOf = ({ traceparent, tracestate }: Readonly<Record<string, unknown>>) => ({
  ...(typeof traceparent === 'string' && { traceparent }),
  ...(typeof tracestate === 'string' && { tracestate }),
});

/** The attributes that leave the process. Libraries also record URLs with secrets and texts with personal data. */
const exportedAttributes: ReadonlySet<string> = new Set([
  'bullmq.queue.name',
  'error.type',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'portal.client.id',
  'portal.job.attempt',
  'portal.job.id',
  'portal.job.kind',
  'portal.job.outcome',
  'portal.operation.id',
  'portal.path',
  'portal.request.id',
  'portal.schedule',
  'portal.system',
]);

/** Exports the listed attributes only, without events and error messages. */
function redacted(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.filter(isExported).map(redactedSpan), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/** BullMQ makes many spans a second for its housekeeping; only these two belong to a job. */
const isExported = ({ instrumentationScope, name }: ReadableSpan): boolean =>
  instrumentationScope.name !== 'bullmq' || name.startsWith('add ') || name.startsWith('process ');

function redactedSpan(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(
    Object.entries(span.attributes).filter(([name]) => exportedAttributes.has(name)),
  );
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  });
}
