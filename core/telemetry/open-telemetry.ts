/**
 * Makes the traces with OpenTelemetry and sends them to a collector. Loaded only where a collector is configured.
 *
 * Requests and outside calls are spans of our own. `@fastify/otel` would tell the whole address of a request, query and
 * all, and lose the context while a body is read; `instrumentation-undici` would tell the CRM's address, whose path
 * holds its secret.
 */
import {
  context,
  DiagLogLevel,
  diag,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { BullMQOtel } from 'bullmq-otel';
import type { Logger } from 'pino';
import { withoutLogContext } from './log-context.ts';
import type { ProcessName } from './process-metrics.ts';
import type { Span, SpanOptions, Tracing } from './spans.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** A collector that does not answer must not hold up the end of a process longer than this, in ms. */
const patienceMs = 3_000;

export interface OpenTelemetry extends Tracing {
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

/** @param url of the collector, for traces */
export function openTelemetry(
  { process: processName, instance }: ProcessName,
  url: string,
  logger: Logger,
): OpenTelemetry {
  // The timer that sends was set by whatever request or job came along.
  const say = withoutLogContext((message: string) =>
    logger.warn({ reason: message.slice(0, 300) }, 'the collector does not take the traces'),
  );
  diag.setLogger(
    { error: say, warn: say, info: () => {}, debug: () => {}, verbose: () => {} },
    DiagLogLevel.WARN,
  );
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.namespace': 'portal-service',
          'service.name': `portal-${processName}`,
          'service.instance.id': instance,
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(onlyNamed(new OTLPTraceExporter({ url })))],
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
        if (failed !== undefined)
          span.setAttribute('error.type', failed).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return {
    open,
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    queueTelemetry: new BullMQOtel({ tracerName: 'bullmq' }),
    async close() {
      const late = new Promise<void>(resolve => setTimeout(resolve, patienceMs).unref());
      await Promise.race([provider.shutdown(), late]);
    },
  };
}

/** Not the caller's baggage: it may hold anything, and would travel into the queue. */
const traceContextOf = ({ traceparent, tracestate }: Readonly<Record<string, unknown>>) => ({
  ...(typeof traceparent === 'string' && { traceparent }),
  ...(typeof tracestate === 'string' && { tracestate }),
});

const named: ReadonlySet<string> = new Set([
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

/** BullMQ makes spans of all its housekeeping, many a second; these two belong to a job. */
const isTold = ({ instrumentationScope, name }: ReadableSpan): boolean =>
  instrumentationScope.name !== 'bullmq' || name.startsWith('add ') || name.startsWith('process ');

export function onlyNamed(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.filter(isTold).map(reduced), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

function reduced(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => named.has(name)));
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  });
}
