/** Where the simulated outside systems answer in development. */
import { z } from 'zod';
import { wholeNumber } from './config.ts';

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
