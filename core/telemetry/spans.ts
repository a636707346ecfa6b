/** The tracing API of the service. While tracing is off, work runs without spans and the OpenTelemetry SDK is not loaded. */
import type { Telemetry } from 'bullmq';
import { outsideCallSeconds } from './meter.ts';

/** Ids, kinds and names of the service. Only those listed in `open-telemetry.ts` leave the process. */
type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanOptions {
  role: 'server' | 'client' | 'internal';
  attributes?: SpanAttributes;
  /** Request headers that may continue the caller's trace (W3C Trace Context). */
  carriedBy?: Readonly<Record<string, unknown>>;
}

export interface Span {
  /** Runs work in the span: spans that it opens become children. */
  within<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** @param failed the reason, such as an error code; absent: success */
  end(failed?: string): void;
}

export interface Tracing {
  open(name: string, options: SpanOptions): Span;
  traceId(): string | undefined;
  /** Propagates a trace through the queue. */
  queueTelemetry: Telemetry;
}

let tracing: Tracing | undefined;

/** Call it once, before the process opens queues and connections. */
export function useTracing(provider: Tracing): void {
  tracing = provider;
}

/** For a span that ends elsewhere; undefined while tracing is off. */
export const openSpan = (name: string, options: SpanOptions): Span | undefined => tracing?.open(name, options);

/** Runs the work in a span that ends with it. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span?: Span) => Promise<T>): Promise<T> {
  const span = tracing?.open(name, options);
  if (!span) return await work();
  try {
    const done = await span.within(() => work(span));
    span.end();
    return done;
  } catch (error) {
    span.end(reasonOf(error));
    throw error;
  }
}

export const traceId = (): string | undefined => tracing?.traceId();

/** For BullMQ's queues and workers. */
export const queueTelemetry = (): Telemetry | undefined => tracing?.queueTelemetry;

/** The error's code or class; its message may hold data that must not leave the process. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

export interface OutsideCall {
  system: string;
  /** The HTTP method; for other protocols the kind of action. */
  method: string;
  /** Must hold no secret and no personal data. */
  path?: string;
}

/** @param send one attempt @param statusOf absent: the protocol has no status, every answer is a success */
export async function meteredCall<T>(
  { system, method, path }: OutsideCall,
  send: () => Promise<T>,
  statusOf?: (answer: T) => number,
): Promise<T> {
  const attributes = { 'portal.system': system, 'http.request.method': method, 'portal.path': path };
  return await inSpan(`${system} ${method}`, { role: 'client', attributes }, async span => {
    const stop = outsideCallSeconds.startTimer({ system, method });
    try {
      const answer = await send();
      const status = statusOf?.(answer);
      stop({ status: status === undefined ? 'ok' : `${Math.floor(status / 100)}xx` });
      span?.set({ 'http.response.status_code': status });
      return answer;
    } catch (error) {
      stop({ status: 'none' });
      throw error;
    }
  });
}
