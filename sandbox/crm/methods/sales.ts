/** Deals, leads with their product rows, contacts, products, and comments in the timeline. */

import type { CrmData } from '../crm-data.ts';
import { oldStyle } from '../crm-fault.ts';
import type { Methods } from '../method.ts';
import { mapParameter } from '../parameters.ts';
import { oldEntityMethods, rowNamed } from './old-entity.ts';

export function salesMethods({ deals, leads, contacts, products, comments, productRows }: CrmData): Methods {
  return {
    ...oldEntityMethods('crm.deal', deals, id => ({
      TITLE: `Deal #${id}`,
      STAGE_ID: 'NEW',
      CATEGORY_ID: 0,
    })),
    ...oldEntityMethods('crm.lead', leads, id => ({
      TITLE: `Lead #${id}`,
      STATUS_ID: 'NEW',
      CURRENCY_ID: 'AED',
      OPPORTUNITY: 0,
      IS_RETURN_CUSTOMER: 'N',
    })),
    ...oldEntityMethods('crm.contact', contacts, () => ({ EXPORT: 'Y' })),
    ...oldEntityMethods('crm.product', products, () => ({ ACTIVE: 'Y', CATALOG_ID: 24 })),
    ...oldEntityMethods('crm.timeline.comment', comments, () => ({})),

    'crm.lead.productrows.get': call => ({
      result: productRows.get(rowNamed(leads, call).ID)?.rows ?? [],
    }),
    'crm.lead.productrows.set': call => {
      const leadId = rowNamed(leads, call).ID;
      const rows = mapParameter(call.parameters, 'rows');
      if (!rows) throw oldStyle("Parameter 'rows' must be array.");
      productRows.put({
        leadId,
        rows: Object.values(rows).map((row, index) => ({
          ID: String(leadId * 100 + index),
          OWNER_ID: String(leadId),
          OWNER_TYPE: 'L',
          PRODUCT_ID: 0,
          PRICE: 0,
          QUANTITY: 1,
          ...Object(row),
        })),
      });
      return { result: true };
    },
  };
}
