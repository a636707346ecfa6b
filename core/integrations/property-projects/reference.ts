/** The reference data of the property-project system, with our names; the schemas also read the system's values. */
import { z } from 'zod';
import { textOrNull as text } from '../kit/row.ts';
import { id, ids, money, number, optionalId } from './scalars.ts';

const currency = text.describe('ISO 4217.');

/** Name and example of a schema in the API description. */
const example = (schemaId: string, value: object) => ({ id: schemaId, examples: [value] });

const Named = z.object({ id, name: z.string(), nameAr: text });

const Emirate = Named.meta(example('Emirate', { id: '1', name: 'Dubai', nameAr: 'دبي' }));
const District = Named.extend({
  emirateId: optionalId,
  coordinates: z.object({ lat: z.coerce.number(), lng: z.coerce.number() }).nullable(),
}).meta(
  example('District', {
    ...{ id: '1000', name: 'Dubai Marina', nameAr: 'دبي مارينا' },
    emirateId: '1',
    coordinates: { lat: 25.0777, lng: 55.1386 },
  }),
);
const Developer = Named.extend({ website: text, logoUrl: text }).meta(
  example('ProjectDeveloper', {
    ...{ id: '5', name: 'Northline Developments', nameAr: 'نورثلاين للتطوير' },
    website: 'https://northline.example',
    logoUrl: null,
  }),
);
const Amenity = Named.meta(example('Amenity', { id: '201', name: 'Shared pool', nameAr: 'مسبح مشترك' }));
const UnitType = Named.meta(example('UnitType', { id: '301', name: 'Apartment', nameAr: 'شقة' }));
const Finish = Named.meta(example('Finish', { id: '401', name: 'Fully fitted', nameAr: 'تشطيب كامل' }));
const UnitLayout = Named.extend({
  unitTypeId: optionalId,
  bedrooms: number,
  bathrooms: number,
  sizeSqft: number,
}).meta(
  example('UnitLayout', {
    ...{ id: '603', name: 'Two bedrooms, type A', nameAr: 'غرفتان، النوع أ' },
    unitTypeId: '301',
    bedrooms: 2,
    bathrooms: 2,
    sizeSqft: 1_240,
  }),
);

const Project = Named.extend({
  developerId: optionalId,
  emirateId: optionalId,
  districtId: optionalId,
  status: text.describe('Such as off_plan or ready.'),
  completionDate: text.describe('As the system returns it, such as 2028-06.'),
  startingPrice: money,
  currency,
  amenityIds: ids,
  unitTypeIds: ids,
  description: text,
  coverUrl: text,
  updatedAt: text,
}).meta(
  example('PropertyProject', {
    ...{ id: '7001', name: 'Creek Gate', nameAr: 'بوابة الخور' },
    developerId: '5',
    emirateId: '1',
    districtId: '1000',
    status: 'off_plan',
    completionDate: '2028-06',
    startingPrice: '1450000.00',
    currency: 'AED',
    amenityIds: ['201'],
    unitTypeIds: ['301'],
    description: 'Two towers on the water, 412 apartments.',
    coverUrl: null,
    updatedAt: '2026-01-30T10:00:00Z',
  }),
);

const ProjectUnit = z
  .object({
    id,
    projectId: id,
    number: text,
    floor: number,
    unitTypeId: optionalId,
    layoutId: optionalId,
    finishId: optionalId,
    bedrooms: number,
    bathrooms: number,
    sizeSqft: number,
    price: money,
    currency,
    status: text.describe('Such as available, reserved or sold.'),
  })
  .meta(
    example('ProjectUnit', {
      id: '90012',
      projectId: '7001',
      number: '1204',
      floor: 12,
      unitTypeId: '301',
      layoutId: '603',
      finishId: '401',
      bedrooms: 2,
      bathrooms: 2,
      sizeSqft: 1_240,
      price: '2150000.00',
      currency: 'AED',
      status: 'available',
    }),
  );

/** Collection → schema of its rows. */
export const referenceSchemas = {
  emirates: Emirate,
  districts: District,
  projects: Project,
  developers: Developer,
  amenities: Amenity,
  unitTypes: UnitType,
  finishes: Finish,
  unitLayouts: UnitLayout,
  units: ProjectUnit,
};

export type ReferenceName = keyof typeof referenceSchemas;
export type Reference = z.infer<(typeof referenceSchemas)[ReferenceName]>;
