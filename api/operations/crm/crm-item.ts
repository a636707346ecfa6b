/** An item of the CRM as the API shows it: its own fields go through under the CRM's names. */
import { z } from 'zod';
import { idIn } from '../../http/input-fields.ts';

export const CrmItemResource = z
  .object({
    id: z.int(),
    entityTypeId: z.int(),
    title: z.string(),
    fields: z
      .record(z.string(), z.unknown())
      .describe('As the CRM names them, such as `assignedById` or `ufCrm8PortalId`.'),
  })
  .meta({
    id: 'CrmItem',
    examples: [
      {
        id: 88,
        entityTypeId: 1_036,
        title: 'Viewing of DXB-1042',
        fields: { id: 88, title: 'Viewing of DXB-1042', assignedById: 7, opened: 'Y' },
      },
    ],
  });

export const entityTypeId = idIn('a type of items')
  .describe(
    'The CRM’s entityTypeId: 1 leads, 2 deals, 3 contacts, 4 companies, and the numbers of its smart processes.',
  )
  .meta({ examples: ['1036'] });
