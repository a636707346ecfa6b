/** Methods of deals, leads, product rows of leads, contacts, products and timeline comments. */

import type { CrmData } from '../crm-data.ts';
import { legacyError } from '../crm-error.ts';
import { isDenied } from '../messy-data.ts';
import type { Methods } from '../method.ts';
import { mapParameter } from '../parameters.ts';
import { legacyEntityMethods, requestedRow } from './legacy-entity.ts';

/** Values of new records, by every method. */
export const newLead = { STATUS_ID: 'NEW', CURRENCY_ID: 'AED', OPPORTUNITY: 0, IS_RETURN_CUSTOMER: 'N' };
export const newDeal = { STAGE_ID: 'NEW', CATEGORY_ID: 0 };

/** @param isMessy whether some leads are denied */
export function salesMethods(
  { deals, leads, contacts, products, comments, productRows }: CrmData,
  isMessy: () => boolean,
): Methods {
  const leadMethods = legacyEntityMethods('crm.lead', leads, id => ({
    TITLE: `Lead #${id}`,
    ...newLead,
  }));
  const unlessDenied = (name: string): Methods => ({
    [name]: call => {
      if (isMessy() && isDenied(requestedRow(leads, call))) throw legacyError('Access denied.');
      const method = leadMethods[name];
      if (!method) throw new Error(`there is no method ${name}`);
      return method(call);
    },
  });
  return {
    ...legacyEntityMethods('crm.deal', deals, id => ({
      TITLE: `Deal #${id}`,
      ...newDeal,
    })),
    ...leadMethods,
    ...unlessDenied('crm.lead.get'),
    ...unlessDenied('crm.lead.update'),
    ...legacyEntityMethods('crm.contact', contacts, () => ({ EXPORT: 'Y' })),
    ...legacyEntityMethods('crm.product', products, () => ({ ACTIVE: 'Y', CATALOG_ID: 24 })),
    ...legacyEntityMethods('crm.timeline.comment', comments, () => ({})),

    'crm.lead.productrows.get': call => ({ result: productRows.get(requestedRow(leads, call).ID)?.rows ?? [] }),
    'crm.lead.productrows.set': call => {
      const leadId = requestedRow(leads, call).ID;
      const rows = mapParameter(call.parameters, 'rows');
      if (!rows) throw legacyError("Parameter 'rows' must be array.");
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
