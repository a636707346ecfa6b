/**
 * Traces as the rest of the service sees them: a span around a piece of work. While tracing is off the work just runs,
 * and the OpenTelemetry SDK is not loaded.
 */
import type { Telemetry } from 'bullmq';

/** Words and numbers of the service: ids, kinds, names. What is not in `outgoing-spans.ts` does not leave the process. */
type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanOptions {
  role: 'server' | 'client' | 'internal';
  attributes?: SpanAttributes;
  /** Headers of a request, which may carry on the caller's trace (W3C Trace Context). */
  carriedBy?: Readonly<Record<string, unknown>>;
}

export interface Span {
  /** Runs work as part of the span: what it opens becomes the span's child. */
  within<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** @param failed a word for why, such as an error's code; absent: it went well */
  end(failed?: string): void;
}

/** What makes the spans once tracing is on. */
export interface Tracing {
  open(name: string, options: SpanOptions): Span;
  traceId(): string | undefined;
  /** Carries a trace through the queue. */
  queueTelemetry: Telemetry;
}

let tracing: Tracing | undefined;

/** Called once, before anything is opened. */
export function useTracing(made: Tracing): void {
  tracing = made;
}

/** For a span whose end lies elsewhere; undefined while tracing is off. */
export const openSpan = (name: string, options: SpanOptions): Span | undefined =>
  tracing?.open(name, options);

/** A span around the work; it ends when the work has. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  const span = tracing?.open(name, options);
  if (!span) return await work();
  try {
    const done = await span.within(() => work(span));
    span.end();
    return done;
  } catch (error) {
    span.end(wordFor(error));
    throw error;
  }
}

export const traceId = (): string | undefined => tracing?.traceId();

/** For BullMQ's queues and workers. */
export const queueTelemetry = (): Telemetry | undefined => tracing?.queueTelemetry;

/** The code of an error of ours, else its class: its message may say more than may leave. */
function wordFor(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
