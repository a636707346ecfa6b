/** Settings of callbacks. */
import { z } from 'zod';

/** Ten tries within 76 hours, as Standard Webhooks recommend. */
const defaultDelays = '5,300,1800,7200,18000,36000,50400,72000,86400';
const error = 'must be whole numbers of seconds, separated by commas, such as 5,300,1800';

export const CallbackConfig = z.object({
  CALLBACK_RETRY_SECONDS: z
    .string()
    .regex(/^\d{1,7}(,\d{1,7})*$/, error)
    .default(defaultDelays)
    .transform(text => text.split(',').map(Number))
    .describe('Waits before each further try to deliver a callback, separated by commas; ±10 % jitter is added.'),
});

export type CallbackConfig = z.infer<typeof CallbackConfig>;
