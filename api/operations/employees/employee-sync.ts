/** What all requests for work on all employees may say. */
import { z } from 'zod';

export const dryRunField = z
  .boolean('must be true or false')
  .default(false)
  .describe('Answers what would be done, and changes nothing.')
  .meta({ examples: [true] });
