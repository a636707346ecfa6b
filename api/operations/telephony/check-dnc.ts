import { z } from 'zod';
import { DncStatus, dncStatuses } from '../../../core/domain/telephony/dnc-status.ts';
import dncRegistry from '../../../core/integrations/dnc-registry/system.ts';
import { defineOperation, ok } from '../../http/operation.ts';

const Numbers = z
  .array(z.string().max(40), {
    error: 'must be a list of phone numbers',
  })
  .min(1, 'must have at least one number')
  .max(1_000, 'must have at most 1,000 numbers');

export default defineOperation({
  summary: 'Check the do-not-call status of phone numbers. The registry’s answers are cached for a configured time.',
  id: 'telephony.checkDnc',
  route: 'POST /apps/telephony/v1/dnc/check',
  scope: 'telephony',
  request: {
    body: z
      .object({
        numbers: Numbers.describe('Phone numbers in any common spelling.'),
        refresh: z.boolean().default(false).describe('Bypasses the cache.'),
      })
      .meta({ examples: [{ numbers: ['050 123 4561', '+97143000000'] }] }),
  },
  answers: {
    200: {
      description: 'The status of each number, in the order of the request.',
      schema: z.object({ items: z.array(DncStatus).describe('One for each number.') }),
    },
  },
  calls: [dncRegistry],
  async handle({ body }, { services, client }) {
    const registry = dncRegistry.client(services.systems);
    const items = await dncStatuses(services.database, registry, { ...body, clientId: client.clientId });
    return ok({ items });
  },
});
