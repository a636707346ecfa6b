/** Odd rows as real accounts have them, served while the setting `messyData` is on; the stored rows stay as they are. */
import type { CrmData, Entity } from './crm-data.ts';
import type { Row } from './fields.ts';

/** One location in 5 has no level; one in 50 has its portal id in a field with several values. */
function messyLocation(row: Row): Row {
  if (row.ID % 50 === 3) return { ...row, UF_CRM_8_PORTAL_ID: [row.UF_CRM_8_PORTAL_ID ?? ''] };
  return row.ID % 5 === 0 ? { ...row, UF_CRM_8_TYPE: '' } : row;
}

export const messyRow = ({ locations }: CrmData, entity: Entity, row: Row): Row =>
  entity === locations ? messyLocation(row) : row;

/** To one lead in 10 the user of the webhook has no access. */
export const isDenied = (lead: Row): boolean => lead.ID % 10 === 3;

/** One user in 3 has no department, which the vendor sends as a list with an empty text. One in 20 has an empty flag. */
export function messyUser(shown: Record<string, unknown>): Record<string, unknown> {
  const id = Number(shown.ID);
  if (id % 20 === 7) return { ...shown, ACTIVE: '' };
  return id % 3 === 0 ? { ...shown, UF_DEPARTMENT: [''] } : shown;
}
