/** Structured logs: JSON lines on standard output, readable lines on a terminal; secrets are redacted. */
import { createRequire } from 'node:module';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
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

/** Error fields that may hold personal data: query parameters (drizzle) and row values (PostgreSQL). */
const withheldFields = ['params', 'detail', 'where', 'internalQuery', 'failure'];

/** Bindings of child loggers, so that no line repeats an id. */
const bindings = new WeakMap<object, object>();

/** @param name the process: api, worker, sandbox, start */
export function createLogger(name: string, config: Pick<ServiceConfig, 'LOG_LEVEL' | 'NODE_ENV'>): Logger {
  const options: LoggerOptions = {
    name,
    level: config.LOG_LEVEL,
    serializers: { err: loggedError },
    redact: { paths: secretPaths, censor: '[redacted]' },
    mixin: (_, __, logger) => idsBesides(bindings.get(logger)),
    onChild: child => bindings.set(child, child.bindings()),
  };
  return process.stdout.isTTY ? pino(options, terminalStream()) : pino(options);
}

/** One line per entry, such as `[08:00:00] INFO (worker): worker started queues=leads,pdf`, and the stack of errors. */
function terminalStream() {
  const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  return pretty({
    ignore: 'pid,hostname',
    hideObject: true,
    translateTime: 'HH:MM:ss',
    messageFormat: terminalText,
  });
}

const fixedFields = ['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err'];
const idFields = ['jobId', 'requestId', 'traceId'];

/** The message, its fields, and the ids last, because they are long. */
export function terminalText({ msg, ...fields }: Record<string, unknown>): string {
  const isId = ([name]: [string, unknown]): number => Number(idFields.includes(name));
  const shown = Object.entries(fields)
    .filter(([name]) => !fixedFields.includes(name))
    .sort((one, other) => isId(one) - isId(other));
  return [msg, ...shown.map(([name, value]) => `${name}=${textOf(value)}`)].join(' ');
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? Object.values(value).map(textOf).join(',') : String(value);

/** For pino's `serializers.err`: an error with its causes and stack, without query parameters and row values. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const shown: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const name of withheldFields) delete shown[name];
  if (error instanceof ServiceError) Object.assign(shown, error.logFields);
  for (const cause of causesOf(error)) {
    if (!(cause instanceof DrizzleQueryError)) continue;
    for (const name of ['message', 'stack']) {
      shown[name] = String(shown[name]).replaceAll(cause.message, () => `Failed query: ${cause.query}`);
    }
  }
  return shown;
}

/** Request, job and trace ids of the running work, without those that the child logger's bindings have. */
function idsBesides(present: object = {}): object {
  const context = logContext();
  if (context.requestId === undefined && context.jobId === undefined) return {};
  const ids = { ...context, traceId: traceId() };
  return Object.fromEntries(Object.entries(ids).filter(([name, id]) => id !== undefined && !(name in present)));
}

function* causesOf(error: Error): Generator<Error> {
  const seen = new Set<unknown>();
  for (let cause: unknown = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    yield cause;
  }
}
