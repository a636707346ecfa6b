/** Structured logs: one JSON line each on standard output, readable lines on a terminal; secrets cut out. */

import { DrizzleQueryError } from 'drizzle-orm/errors';
import { type Logger, pino, stdSerializers } from 'pino';
import { ServiceError } from '../runtime/errors.ts';
import type { ServiceConfig } from '../runtime/service-config.ts';
import { logContext } from './log-context.ts';
import { traceId } from './spans.ts';

export type { Logger } from 'pino';

const secretPaths = [
  'authorization',
  'client_secret',
  'clientSecret',
  'password',
  'secret',
  'token',
  'access_token',
  'connectionString',
].flatMap(name => [name, `*.${name}`]);

/** What child loggers say on each line, so that no line says it twice. */
const bound = new WeakMap<object, object>();

/** The request and the job that the line belongs to, however deep in the code it is logged. */
function idsBesides(said: object = {}): object {
  const work = logContext();
  if (work.requestId === undefined && work.jobId === undefined) return {};
  const ids = { ...work, traceId: traceId() };
  return Object.fromEntries(Object.entries(ids).filter(([name, id]) => id !== undefined && !(name in said)));
}

/** @param name the process: api, worker, sandbox, start */
export function createLogger(name: string, config: Pick<ServiceConfig, 'LOG_LEVEL' | 'NODE_ENV'>): Logger {
  const readable = process.stdout.isTTY && config.NODE_ENV !== 'production';
  return pino({
    name,
    level: config.LOG_LEVEL,
    serializers: { err: loggedError },
    redact: { paths: secretPaths, censor: '[redacted]' },
    mixin: (_, __, logger) => idsBesides(bound.get(logger)),
    onChild: child => bound.set(child, child.bindings()),
    ...(readable && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
    }),
  });
}

/** PostgreSQL quotes a row's values there, and drizzle a query's parameters; both may be a person's. */
const withheld = ['params', 'detail', 'where', 'internalQuery', 'failure'];

/** For pino's `serializers.err`. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const shown: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const name of withheld) delete shown[name];
  if (error instanceof ServiceError) Object.assign(shown, error.logFields);
  for (const cause of causesOf(error)) {
    if (!(cause instanceof DrizzleQueryError)) continue;
    for (const name of ['message', 'stack']) {
      shown[name] = String(shown[name]).replaceAll(cause.message, () => `Failed query: ${cause.query}`);
    }
  }
  return shown;
}

function* causesOf(error: Error): Generator<Error> {
  const seen = new Set<unknown>();
  for (let cause: unknown = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    yield cause;
  }
}
