/** Structured logs: one JSON line each on standard output, readable lines on a terminal; secrets cut out. */
import { type Logger, pino } from 'pino';
import { loggedError } from './logged-error.ts';
import type { ServiceConfig } from './service-config.ts';

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

/** @param name the process: api, worker, sandbox, start */
export function createLogger(name: string, config: Pick<ServiceConfig, 'LOG_LEVEL' | 'NODE_ENV'>): Logger {
  const readable = process.stdout.isTTY && config.NODE_ENV !== 'production';
  return pino({
    name,
    level: config.LOG_LEVEL,
    serializers: { err: loggedError },
    redact: { paths: secretPaths, censor: '[redacted]' },
    ...(readable && {
      transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
    }),
  });
}
