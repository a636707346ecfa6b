/** The property-project system's paths and answers. The vendor is not known: they are our assumption, all of it in this file. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import type { Reference, ReferenceName } from './reference.ts';
import type { ProjectUser, ProjectUserFields } from './user.ts';

const id = z.union([z.string(), z.number()]).transform(String);
const optionalId = id.nullish().transform(value => value ?? null);
const text = z
  .string()
  .nullish()
  .transform(value => value?.trim() || null);
const number = z.coerce
  .number()
  .nullish()
  .transform(value => value ?? null);
const ids = z
  .array(id)
  .nullish()
  .transform(value => value ?? []);
const money = z
  .union([z.string(), z.number()])
  .nullish()
  .transform(value =>
    value === null || value === undefined || value === '' ? null : Number(value).toFixed(2),
  );

const named = { id, name: z.string(), name_ar: text };
type NamedFields = { id: string; name: string; name_ar: string | null };
const ourNamed = (row: NamedFields) => ({ id: row.id, name: row.name, nameAr: row.name_ar });

const NamedRow = z.object(named).transform(ourNamed);

const DistrictRow = z.object({ ...named, emirate_id: optionalId, lat: number, lng: number }).transform(
  (row): Reference<'districts'> => ({
    ...ourNamed(row),
    emirateId: row.emirate_id,
    coordinates: row.lat === null || row.lng === null ? null : { lat: row.lat, lng: row.lng },
  }),
);

const DeveloperRow = z
  .object({ ...named, website: text, logo_url: text })
  .transform(
    (row): Reference<'developers'> => ({ ...ourNamed(row), website: row.website, logoUrl: row.logo_url }),
  );

const LayoutRow = z
  .object({ ...named, unit_type_id: optionalId, bedrooms: number, bathrooms: number, size_sqft: number })
  .transform(
    (row): Reference<'unitLayouts'> => ({
      ...ourNamed(row),
      unitTypeId: row.unit_type_id,
      bedrooms: row.bedrooms,
      bathrooms: row.bathrooms,
      sizeSqft: row.size_sqft,
    }),
  );

const ProjectRow = z
  .object({
    ...named,
    developer_id: optionalId,
    emirate_id: optionalId,
    district_id: optionalId,
    status: text,
    completion_date: text,
    starting_price: money,
    currency: text,
    amenity_ids: ids,
    unit_type_ids: ids,
    description: text,
    cover_url: text,
    updated_at: text,
  })
  .transform(
    (row): Reference<'projects'> => ({
      ...ourNamed(row),
      developerId: row.developer_id,
      emirateId: row.emirate_id,
      districtId: row.district_id,
      status: row.status,
      completionDate: row.completion_date,
      startingPrice: row.starting_price,
      currency: row.currency,
      amenityIds: row.amenity_ids,
      unitTypeIds: row.unit_type_ids,
      description: row.description,
      coverUrl: row.cover_url,
      updatedAt: row.updated_at,
    }),
  );

const UnitRow = z
  .object({
    id,
    project_id: id,
    number: text,
    floor: number,
    unit_type_id: optionalId,
    layout_id: optionalId,
    finish_id: optionalId,
    bedrooms: number,
    bathrooms: number,
    size_sqft: number,
    price: money,
    currency: text,
    status: text,
  })
  .transform(
    (row): Reference<'units'> => ({
      id: row.id,
      projectId: row.project_id,
      number: row.number,
      floor: row.floor,
      unitTypeId: row.unit_type_id,
      layoutId: row.layout_id,
      finishId: row.finish_id,
      bedrooms: row.bedrooms,
      bathrooms: row.bathrooms,
      sizeSqft: row.size_sqft,
      price: row.price,
      currency: row.currency,
      status: row.status,
    }),
  );

export const referenceRows: { [N in ReferenceName]: z.ZodType<Reference<N>> } = {
  emirates: NamedRow,
  districts: DistrictRow,
  projects: ProjectRow,
  developers: DeveloperRow,
  amenities: NamedRow,
  unitTypes: NamedRow,
  finishes: NamedRow,
  unitLayouts: LayoutRow,
  units: UnitRow,
};

export const referencePaths: Readonly<Record<Exclude<ReferenceName, 'units'>, string>> = {
  emirates: '/emirates',
  districts: '/districts',
  projects: '/projects',
  developers: '/developers',
  amenities: '/amenities',
  unitTypes: '/unit-types',
  finishes: '/finishes',
  unitLayouts: '/unit-layouts',
};

export const pageOf = <Row extends z.ZodType>(row: Row) =>
  z.object({ data: z.array(row), meta: z.object({ total: z.int() }) });
export const oneOf = <Row extends z.ZodType>(row: Row) => z.object({ data: row });

export const UserRow = z
  .object({
    id,
    first_name: text,
    last_name: text,
    email: text,
    phone: text,
    role: text,
    crm_id: number,
    active: z.boolean().default(true),
    created_at: text,
  })
  .transform(
    (row): ProjectUser => ({
      id: row.id,
      firstName: row.first_name,
      lastName: row.last_name,
      email: row.email?.toLowerCase() ?? null,
      phone: row.phone && (toE164(row.phone) ?? row.phone),
      role: row.role,
      crmId: row.crm_id,
      active: row.active,
      createdAt: row.created_at,
    }),
  );

/** Our name of a user's field → the system's. */
export const userFields = {
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phone: 'phone',
  role: 'role',
  crmId: 'crm_id',
  active: 'active',
} as const satisfies Record<keyof ProjectUserFields, string>;

export const wireUser = (fields: ProjectUserFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [fieldNames.get(name) ?? name, value]));

const fieldNames = new Map<string, string>(Object.entries(userFields));

export const RejectionBody = z.object({
  error: z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    fields: z.record(z.string(), z.string()).optional(),
  }),
});

export const Uploaded = z.object({ url: z.url({ protocol: /^https?$/ }) });
