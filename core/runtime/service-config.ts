/** What every process of the service must know: how it runs, where it answers, what the outside calls it. */
import { z } from 'zod';
import { httpAddress, wholeNumber } from './config.ts';

export const ServiceConfig = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'], { error: 'must be development, production or test' })
    .default('development')
    .describe('production refuses development defaults and never uses the sandbox.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info')
    .describe('How much is logged.'),
  PORT: wholeNumber(0, 65_535).default(9000).describe('Port of the API; 0 takes a free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address the API listens on; 0.0.0.0 in a container.'),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must begin with a slash and not end with one, such as /v2')
    .default('/v2')
    .describe('Path prefix of every operation; each also answers without it.'),
  PUBLIC_URL: httpAddress
    .optional()
    .describe(
      'How the outside reaches the service (job links, short links); unset: made from HOST and PORT.',
    ),
  SHUTDOWN_GRACE_SECONDS: wholeNumber(0, 3_600)
    .default(20)
    .describe('How long a process that was told to stop finishes what it has begun.'),
  SETTLING_SECONDS: wholeNumber(0, 600)
    .default(45)
    .describe(
      'How long after a process of ours died an outside system may still carry out what it was sent; a create that is not found there is repeated only then.',
    ),
});

export type ServiceConfig = z.infer<typeof ServiceConfig>;

/** The address that links are made of. */
export function publicUrl(config: ServiceConfig): string {
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  return config.PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${config.PORT}`;
}

export const SandboxConfig = z.object({
  SANDBOX_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.-]+$/, 'must be a host name or an IPv4 address')
    .default('127.0.0.1')
    .describe(
      'Where the sandbox listens and is called; its container’s name, where it has one. Development only.',
    ),
  SANDBOX_PORT: wholeNumber(1, 65_535)
    .default(9100)
    .describe(
      'Port of the sandbox: every outside system, simulated, and photos at /photos/NN.jpg. Development only.',
    ),
});
