/** `crm.item.productrow.list`: the product rows of a lead, 50 a page; none of a record that does not exist. */
import type { CrmData } from '../crm-data.ts';
import { CrmError } from '../crm-error.ts';
import { toItemName } from '../fields.ts';
import type { Methods } from '../method.ts';
import { idParameter, mapParameter, parameter } from '../parameters.ts';

const pageRows = 50;
/** The short code of leads; the sandbox has no product rows of others. */
const leadOwner = 'L';

export const productRowMethods = ({ productRows }: CrmData): Methods => ({
  'crm.item.productrow.list': ({ parameters }) => {
    const filter = mapParameter(parameters, 'filter') ?? {};
    for (const name of ['=ownerType', '=ownerId'])
      if (filter[name] === undefined)
        throw new CrmError(400, 'REQUIRED_ARG_MISSING', `Required parameter '${name}' is not set`);
    const stored =
      filter['=ownerType'] === leadOwner ? productRows.get(idParameter(filter, '=ownerId') ?? 0) : undefined;
    const rows = (stored?.rows ?? []).map(itemRow).sort((one, other) => Number(one.sort) - Number(other.sort));
    const start = Math.max(0, Number(parameter(parameters, 'start') ?? 0));
    return { result: { productRows: rows.slice(start, start + pageRows) }, total: rows.length };
  },
});

const numbers: readonly string[] = ['ID', 'OWNER_ID', 'PRICE_ACCOUNT'];

const itemRow = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [toItemName(name), numbers.includes(name) ? Number(value) : value]),
  );
