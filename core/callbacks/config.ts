/** How callbacks are retried. */
import { z } from 'zod';

/** Ten tries within 76 hours, as the Standard Webhooks specification proposes. */
const standardDelays = '5,300,1800,7200,18000,36000,50400,72000,86400';
const error = 'must be whole numbers of seconds with commas between them, such as 5,300,1800';

export const CallbackConfig = z.object({
  CALLBACK_RETRY_SECONDS: z
    .string()
    .regex(/^\d{1,7}(,\d{1,7})*$/, error)
    .default(standardDelays)
    .transform(text => text.split(',').map(Number))
    .describe('Waits before each further try to deliver a callback; each is varied by up to a tenth.'),
});

export type CallbackConfig = z.infer<typeof CallbackConfig>;
