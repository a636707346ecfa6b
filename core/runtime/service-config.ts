/** Configuration that every process needs. */
import { z } from 'zod';
import { ConfigurationError, httpUrl, isSet, wholeNumber } from './config.ts';

export const ServiceConfig = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], { error: 'must be development, production or test' })
    .default('development')
    .describe('production rejects development defaults and never uses the sandbox.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('Lowest level that is logged: fatal, error, warn, info, debug, trace or silent.'),
  PORT: wholeNumber(0, 65_535).default(9000).describe('Port of the API; 0 takes a free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on; 0.0.0.0 in a container.'),
  METRICS_PORT: wholeNumber(1, 65_535)
    .optional()
    .describe(
      'Port at HOST where each process answers /health and its own /metrics, without login; the API also the metrics of the whole service. With npm start, the next three ports are those of API, worker and scheduler. Unset: none.',
    ),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must begin with a slash and not end with one, such as /v2')
    .default('/v2')
    .describe('Path prefix of every operation; each also answers without it.'),
  PUBLIC_URL: httpUrl
    .optional()
    .describe(
      'Public URL of the service, for job links and short links; required in production; else built from HOST and PORT.',
    ),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 3_600)
    .default(20)
    .describe('Time that a stopping process has to finish its work.'),
  SETTLING_SECONDS: wholeNumber(0, 600)
    .default(45)
    .describe(
      'Time after the death of a process in which an outside system may still execute its call; a create that is not found there is repeated only after it.',
    ),
});
export type ServiceConfig = z.infer<typeof ServiceConfig>;

export const SandboxConfig = z.object({
  SANDBOX_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.-]+$/, 'must be a host name or an IPv4 address')
    .default('127.0.0.1')
    .describe('Host that the sandbox listens on and is called at, such as its container. Development only.'),
  SANDBOX_PORT: wholeNumber(1, 65_535)
    .default(9100)
    .describe('Port of the sandbox: all outside systems, simulated, and photos at /photos/NN.jpg. Development only.'),
});

/** What a production installation lacks, one sentence each. @throws ConfigurationError when it cannot work without */
export function productionGaps({ NODE_ENV, PUBLIC_URL }: ServiceConfig): string[] {
  if (NODE_ENV !== 'production') return [];
  const gaps = [
    PUBLIC_URL === undefined &&
      'PUBLIC_URL is not set: links would point to this machine. Set it to the https address of the service.',
    !(isSet('OPS_USER') && isSet('OPS_PASSWORD')) &&
      !isSet('OIDC_ISSUER') &&
      'OPS_USER and OPS_PASSWORD are not set, and OIDC_ISSUER neither: only tokens with the scope ops open the operations pages and the metrics.',
    !isSet('BOOTSTRAP_CLIENT_ID') &&
      'BOOTSTRAP_CLIENT_ID and BOOTSTRAP_CLIENT_SECRET are not set: only clients that were created with ' +
        '`npm run client -- create` can call the API.',
  ].filter(gap => gap !== false);
  if (PUBLIC_URL === undefined) throw new ConfigurationError(gaps.join('\n'));
  return gaps;
}

/** The base of public links. */
export function publicUrl(config: ServiceConfig): string {
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  return config.PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${config.PORT}`;
}
