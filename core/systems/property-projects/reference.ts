/** The reference data of the property-project system in our words. */
import { z } from 'zod';

const id = z.string();
const text = z.string().nullable();
const money = z.string().nullable().describe('Decimal.');
const currency = z.string().nullable().describe('ISO 4217.');

const Named = z.object({ id, name: z.string(), nameAr: text });

export const Emirate = Named.meta({ id: 'Emirate' });
export const District = Named.extend({
  emirateId: id.nullable(),
  coordinates: z.object({ lat: z.number(), lng: z.number() }).nullable(),
}).meta({ id: 'District' });
export const Developer = Named.extend({ website: text, logoUrl: text }).meta({ id: 'ProjectDeveloper' });
export const Amenity = Named.meta({ id: 'Amenity' });
export const UnitType = Named.meta({ id: 'UnitType' });
export const Finish = Named.meta({ id: 'Finish' });
export const UnitLayout = Named.extend({
  unitTypeId: id.nullable(),
  bedrooms: z.number().nullable(),
  bathrooms: z.number().nullable(),
  sizeSqft: z.number().nullable(),
}).meta({ id: 'UnitLayout' });

export const Project = Named.extend({
  developerId: id.nullable(),
  emirateId: id.nullable(),
  districtId: id.nullable(),
  status: text.describe('Such as off_plan or ready.'),
  completionDate: text.describe('As the system tells it, such as 2028-06.'),
  startingPrice: money,
  currency,
  amenityIds: z.array(id),
  unitTypeIds: z.array(id),
  description: text,
  coverUrl: text,
  updatedAt: text,
}).meta({ id: 'PropertyProject' });

export const ProjectUnit = z
  .object({
    id,
    projectId: id,
    number: text,
    floor: z.number().nullable(),
    unitTypeId: id.nullable(),
    layoutId: id.nullable(),
    finishId: id.nullable(),
    bedrooms: z.number().nullable(),
    bathrooms: z.number().nullable(),
    sizeSqft: z.number().nullable(),
    price: money,
    currency,
    status: text.describe('Such as available, reserved or sold.'),
  })
  .meta({ id: 'ProjectUnit' });

/** Our name of each collection → what a row of it is. */
const referenceSchemas = {
  emirates: Emirate,
  districts: District,
  projects: Project,
  developers: Developer,
  amenities: Amenity,
  unitTypes: UnitType,
  finishes: Finish,
  unitLayouts: UnitLayout,
  units: ProjectUnit,
} as const;

export type ReferenceName = keyof typeof referenceSchemas;
export type Reference<N extends ReferenceName> = z.infer<(typeof referenceSchemas)[N]>;
