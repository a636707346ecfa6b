/** A listing's CRM id under the name that the portal has for it. */
import { z } from 'zod';
import { Listing } from '../../../workers/pdf/listing.ts';

const namedIds = (field: string) =>
  z.object({ list: z.array(z.object({ [field]: Listing.shape.crm_id.catch('') })) });

/** By the field's name, which is a setting: making a schema takes longer than using it. */
const schemas = new Map<string, ReturnType<typeof namedIds>>();

/** The portal may send the CRM's id under a name of its own; `crm_id` itself goes first. */
export function withCrmIds(list: readonly Listing[], body: unknown, field: string): Listing[] {
  const schema = schemas.get(field) ?? namedIds(field);
  schemas.set(field, schema);
  const named = schema.parse(body);
  return list.map((listing, index) => ({
    ...listing,
    crm_id: listing.crm_id || (named.list[index]?.[field] ?? ''),
  }));
}
