/** The CRM's records: one entity for each kind, with its rows, fields and id sequence. */
import type { Collection, CollectionOptions } from '../kit/collection.ts';
import {
  commentFields,
  contactFields,
  dealFields,
  leadFields,
  listingFields,
  locationFields,
  productFields,
  userFields,
  viewingFields,
} from './entity-fields.ts';
import type { FieldTable, Row } from './fields.ts';
import { seedContacts, seedLeads, seedProductRows } from './seeds/clients.ts';
import { seedDeals } from './seeds/deals.ts';
import { seedListings } from './seeds/listings.ts';
import { seedLocations } from './seeds/locations.ts';
import { seedProducts } from './seeds/products.ts';
import { seedUsers } from './seeds/users.ts';
import { seedViewings } from './seeds/viewings.ts';

export interface Entity {
  rows: Collection<Row>;
  fields: FieldTable;
  /** Returns an id that was never used. */
  nextId(): number;
  /** Calculates fields of a changed row from other records. */
  derived(row: Row): Row;
}

/** A lead's product rows, stored in response format. */
export interface ProductRows {
  leadId: number;
  rows: readonly Record<string, unknown>[];
}

export interface CrmData {
  deals: Entity;
  leads: Entity;
  contacts: Entity;
  products: Entity;
  users: Entity;
  locations: Entity;
  viewings: Entity;
  listings: Entity;
  comments: Entity;
  productRows: Collection<ProductRows>;
}

type MakeCollection = <Row>(name: string, options: CollectionOptions<Row>) => Collection<Row>;

export function createCrmData(collection: MakeCollection): CrmData {
  const productRows = collection<ProductRows>('product-rows', { seed: seedProductRows, key: ({ leadId }) => leadId });
  const entity = (name: string, fields: FieldTable, seed: () => Iterable<Row>): Entity => {
    const rows = collection<Row>(name, { seed, key: row => row.ID });
    const highest = rows.derive(all => all.reduce((found, { ID }) => Math.max(found, ID), 0));
    let last = 0;
    return {
      rows,
      fields,
      derived: row => row,
      nextId() {
        last = Math.max(last, highest()) + 1;
        return last;
      },
    };
  };
  return {
    deals: entity('deals', dealFields, seedDeals),
    leads: { ...entity('leads', leadFields, seedLeads), derived: row => withAmount(row, productRows.get(row.ID)) },
    contacts: entity('contacts', contactFields, seedContacts),
    products: entity('products', productFields, seedProducts),
    users: entity('users', userFields, seedUsers),
    locations: entity('locations', locationFields, seedLocations),
    viewings: entity('items', viewingFields, seedViewings),
    listings: entity('listings', listingFields, seedListings),
    comments: entity('comments', commentFields, () => []),
    productRows,
  };
}

/** The vendor calculates the amount from the product rows, unless it is set by hand. */
function withAmount(row: Row, products: ProductRows | undefined): Row {
  if (!products || row.IS_MANUAL_OPPORTUNITY === 'Y') return row;
  const amounts = products.rows.map(({ PRICE, QUANTITY }) => Number(PRICE) * Number(QUANTITY));
  return { ...row, OPPORTUNITY: amounts.reduce((sum, amount) => sum + amount, 0) };
}
