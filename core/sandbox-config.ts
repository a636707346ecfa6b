/** Where the simulated outside systems answer in development. */
import { z } from 'zod';
import { wholeNumber } from './config.ts';

export const SandboxConfig = z.object({
  SANDBOX_PORT: wholeNumber(1, 65_535)
    .default(9100)
    .describe(
      'Port of the sandbox: every outside system, simulated, and photos at /photos/NN.jpg. Development only.',
    ),
});
