/** The reference data of the property-project system, with our names; the schemas also read the system's values. */
import { z } from 'zod';
import { textOrNull as text } from '../kit/row.ts';
import { id, ids, money, number, optionalId, time } from './scalars.ts';

const currency = text.describe('ISO 4217.');

/** Name and example of a schema in the API description. */
const example = (schemaId: string, value: object) => ({ id: schemaId, examples: [value] });

const Named = z.object({ id, name: z.string(), nameAr: text });

const Emirate = Named.meta(example('Emirate', { id: '1', name: 'Dubai', nameAr: 'دبي' }));
const District = Named.extend({
  emirateId: optionalId.describe('The emirate’s id.'),
  coordinates: z.object({ lat: z.coerce.number(), lng: z.coerce.number() }).nullable(),
}).meta(
  example('District', {
    id: '1000',
    name: 'Dubai Marina',
    nameAr: 'دبي مارينا',
    emirateId: '1',
    coordinates: { lat: 25.0777, lng: 55.1386 },
  }),
);
const Developer = Named.extend({ website: text, logoUrl: text }).meta(
  example('ProjectDeveloper', {
    id: '5',
    name: 'Northline Developments',
    nameAr: 'نورثلاين للتطوير',
    website: 'https://northline.example',
    logoUrl: null,
  }),
);
const Amenity = Named.meta(example('Amenity', { id: '201', name: 'Shared pool', nameAr: 'مسبح مشترك' }));
const UnitType = Named.meta(example('UnitType', { id: '301', name: 'Apartment', nameAr: 'شقة' }));
const Finish = Named.meta(example('Finish', { id: '401', name: 'Fully fitted', nameAr: 'تشطيب كامل' }));
const UnitLayout = Named.extend({
  unitTypeId: optionalId.describe('The unit type’s id.'),
  bedrooms: number.describe('Number of bedrooms; 0 is a studio.'),
  bathrooms: number.describe('Number of bathrooms.'),
  sizeSqft: number.describe('Area in square feet.'),
}).meta(
  example('UnitLayout', {
    id: '603',
    name: 'Two bedrooms, type A',
    nameAr: 'غرفتان، النوع أ',
    unitTypeId: '301',
    bedrooms: 2,
    bathrooms: 2,
    sizeSqft: 1_240,
  }),
);

const Project = Named.extend({
  developerId: optionalId.describe('The developer’s id.'),
  emirateId: optionalId.describe('The emirate’s id.'),
  districtId: optionalId.describe('The district’s id.'),
  status: text.describe('Such as off_plan or ready.'),
  completionDate: text.describe('As the system returns it, such as 2028-06.'),
  startingPrice: money.describe('Lowest price of its units, decimal.'),
  currency,
  amenityIds: ids.describe('Ids of its amenities.'),
  unitTypeIds: ids.describe('Ids of the types of its units.'),
  description: text.describe('Text about the project.'),
  coverUrl: text.describe('Address of its picture.'),
  updatedAt: time.describe('Time of its last change.'),
}).meta(
  example('PropertyProject', {
    id: '7001',
    name: 'Creek Gate',
    nameAr: 'بوابة الخور',
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
    updatedAt: '2026-01-30T10:00:00.000Z',
  }),
);

const ProjectUnit = z
  .object({
    id: id.describe('Its id in the system.'),
    projectId: id.describe('The project’s id.'),
    number: text.describe('Number of the unit.'),
    floor: number.describe('Floor of the unit.'),
    unitTypeId: optionalId.describe('The unit type’s id.'),
    layoutId: optionalId.describe('The layout’s id.'),
    finishId: optionalId.describe('The finish’s id.'),
    bedrooms: number.describe('Number of bedrooms; 0 is a studio.'),
    bathrooms: number.describe('Number of bathrooms.'),
    sizeSqft: number.describe('Area in square feet.'),
    price: money.describe('Price, decimal.'),
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
