/** Structured logs: one JSON line each on standard output, readable lines on a terminal; secrets cut out. */
import { type Logger, pino } from 'pino';
import type { ServiceConfig } from '../runtime/service-config.ts';
import { workIds } from './log-context.ts';
import { loggedError } from './logged-error.ts';
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
  const work = workIds();
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
