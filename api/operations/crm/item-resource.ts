/** Items of the CRM in requests and answers. */
import { CrmItem } from '../../../core/integrations/crm/items.ts';
import { idIn } from '../../http/input-fields.ts';

export const entityTypeId = idIn('an item type')
  .describe('The CRM’s entityTypeId: 1 leads, 2 deals, 3 contacts, 4 companies, others smart processes.')
  .meta({ examples: [1_036] });

export const CrmItemResource = CrmItem.meta({
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
