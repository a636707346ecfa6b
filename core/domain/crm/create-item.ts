import { z } from 'zod';
import type { Effects } from '../../effects/ledger.ts';
import type { CrmItem } from '../../integrations/crm/items.ts';
import type { Crm } from '../../integrations/crm/system.ts';

/**
 * Creates an item of the CRM, once for each key. The CRM has no lookup for it: after an attempt without an answer, the same
 * key creates nothing again.
 * @param key identifies the request, such as client and `Idempotency-Key`
 */
export async function createItemOnce(
  { crm, effects }: { crm: Crm; effects: Effects },
  key: string,
  { entityTypeId, fields }: Pick<CrmItem, 'entityTypeId' | 'fields'>,
): Promise<CrmItem> {
  const { result } = await effects.once({
    key: `item:${key}`,
    kind: 'item-created',
    system: 'crm',
    result: z.object({ id: z.int() }),
    execute: async () => ({ id: (await crm.items.add(entityTypeId, fields)).id }),
  });
  const item = await crm.items.get(entityTypeId, result.id);
  return item ?? { id: result.id, entityTypeId, title: '', fields: {} };
}
