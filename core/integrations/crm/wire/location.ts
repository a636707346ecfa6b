/** Locations as items of a smart process, whose field names differ between CRM accounts. */
import { z } from 'zod';
import type { LocationConfig } from '../config.ts';
import { CrmLocationType } from '../types.ts';
import { Id, IdOrNull, TextOrNull, Time } from './scalars.ts';

export interface CrmLocation {
  id: number;
  parentId: number | null;
  type: CrmLocationType;
  /** First part of the title, such as `Marina Gate 1`. */
  name: string;
  /** The path from the location to its city: `Marina Gate 1, Dubai Marina, Dubai`. */
  title: string;
  nameAr: string | null;
  /** Id on the listing portal. */
  portalId: string | null;
  modifiedAt: Date;
}

export type NewCrmLocation = Omit<CrmLocation, 'id' | 'name' | 'modifiedAt'>;
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

export function wireLocation({ names, typeWords }: LocationForm): z.ZodType<CrmLocation> {
  const types = new Map(CrmLocationType.options.map((type, level) => [typeWords[level]?.toLowerCase(), type]));
  const Fields = z.object({
    // A number in a field of the type list: the id of the value.
    type: z
      .union([z.string(), z.number().transform(String)])
      .transform(word => types.get(word.toLowerCase()))
      .pipe(CrmLocationType),
    parentId: IdOrNull,
    portalId: TextOrNull,
    nameAr: TextOrNull,
  });
  return z.looseObject({ id: Id, title: z.string(), updatedTime: Time }).transform((row, context) => {
    const fields = Fields.safeParse({
      type: row[names.type],
      parentId: row[names.parentId],
      portalId: row[names.portalId],
      nameAr: row[names.nameAr],
    });
    const { id, title, updatedTime: modifiedAt } = row;
    if (fields.success) return { id, ...fields.data, title, name: ownName(title), modifiedAt };
    for (const { path, message } of fields.error.issues) context.addIssue({ code: 'custom', path, message });
    return z.NEVER;
  });
}

const ownName = (title: string): string => (title.split(',')[0] ?? '').trim();

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
