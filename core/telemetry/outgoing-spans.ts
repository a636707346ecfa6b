/**
 * What of a trace leaves the process: named attributes only, and neither events nor messages of errors. Libraries put
 * into spans what they see, addresses with secrets and texts with a person's data among it.
 */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

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
