/** Locations as items of a smart process, whose field names differ between CRM accounts. */
import { z } from 'zod';
import { picked, rowOf } from '../../kit/row.ts';
import type { LocationConfig } from '../config.ts';
import { CrmLocationType } from '../types.ts';
import { Id, IdOrNull, TextOrNull, Time } from './scalars.ts';

/** A match with the listing portal needs id, title and portal id: unexpected values of the other fields are no reason to drop a row. */
const CrmLocation = z.object({
  id: Id,
  parentId: IdOrNull.catch(null),
  /** Null without a level, or with one that is not in `CRM_LOCATION_TYPES`. */
  type: CrmLocationType.nullable(),
  /** First part of the title, such as `Marina Gate 1`. */
  name: z.string(),
  /** The path from the location to its city: `Marina Gate 1, Dubai Marina, Dubai`. */
  title: z.string(),
  nameAr: TextOrNull.catch(null),
  /** Id on the listing portal. */
  portalId: TextOrNull,
  /** 1970 if the CRM returns no time. */
  modifiedAt: Time.catch(new Date(0)),
});
export type CrmLocation = z.output<typeof CrmLocation>;

export type NewCrmLocation = Omit<CrmLocation, 'id' | 'name' | 'modifiedAt'> & { type: CrmLocationType };
export type CrmLocationChange = Partial<NewCrmLocation>;

export type LocationForm = ReturnType<typeof locationForm>;

/** Field names and type values of this CRM account. */
export const locationForm = (config: LocationConfig) => ({
  names: {
    title: 'title',
    type: config.CRM_LOCATION_TYPE_FIELD,
    parentId: config.CRM_LOCATION_PARENT_FIELD,
    portalId: config.CRM_LOCATION_PORTAL_ID_FIELD,
    nameAr: config.CRM_LOCATION_ARABIC_FIELD,
  },
  typeWords: config.CRM_LOCATION_TYPES.split(','),
});

export function wireLocation({ names, typeWords }: LocationForm) {
  const types = new Map(CrmLocationType.options.map((type, level) => [typeWords[level]?.toLowerCase(), type]));
  return rowOf(CrmLocation, row => ({
    ...picked(row, { ...names, id: 'id', modifiedAt: 'updatedTime' }),
    // A number in a field of the type list: the id of the value.
    type: types.get(String(row[names.type]).toLowerCase()) ?? null,
    name: String(row.title).split(',')[0]?.trim(),
  }));
}

/** The CRM's fields for a new location or a change. */
export function locationFields(
  { names, typeWords }: LocationForm,
  { type, ...change }: CrmLocationChange,
): Record<string, string | number | null> {
  const typeWord = type && typeWords[CrmLocationType.options.indexOf(type)];
  const words = { ...change, ...(typeWord !== undefined && { type: typeWord }) };
  return Object.fromEntries(
    (['title', 'type', 'parentId', 'portalId', 'nameAr'] as const).flatMap(word => {
      const value = words[word];
      return value === undefined ? [] : [[names[word], value]];
    }),
  );
}
