/**
 * The property-project system's paths, answers and rejections. The vendor is not known: they are our assumption, all of
 * it in this file. The system's field names are ours in snake_case.
 */
import { z } from 'zod';
import { ServiceError } from '../../runtime/errors.ts';
import type { RawAnswer } from '../kit/call.ts';
import type { VendorFault } from '../kit/fault.ts';
import { rowsIn } from '../kit/read-rows.ts';
import { rowOf } from '../kit/row.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import type { ReferenceName } from './reference.ts';
import { ProjectUserFields } from './user.ts';

const system = { name: 'property-projects', title: 'The property-project system' };

/** Reads a row with the names in snake_case, and with the `coordinates` of districts as `lat` and `lng`. */
export const snakeCaseRow = <S extends z.ZodType>(schema: S) =>
  rowOf(schema, given => {
    const row = Object.fromEntries(Object.entries(given).map(([name, value]) => [camelCase(name), value]));
    const { lat, lng } = row;
    return { ...row, coordinates: lat == null || lng == null ? null : { lat, lng } };
  });

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

export const pageOf = <Row extends z.ZodType>(record: string, item: Row) =>
  z.object({ data: rowsIn({ system, record, id: 'id' }, item), meta: z.object({ total: z.int() }) });
export const oneOf = <Row extends z.ZodType>(item: Row) => z.object({ data: item });

export const Uploaded = z.object({ url: z.url({ protocol: /^https?$/ }) });

export const wireUser = (fields: ProjectUserFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]));

const RejectionBody = z.object({
  error: z.object({
    code: z.string().optional(),
    message: z.string().optional(),
    fields: z.record(z.string(), z.string()).optional(),
  }),
});

/** The fault's message contains the rejected fields as JSON. */
export function readFault(answer: RawAnswer): VendorFault | undefined {
  if (![409, 413, 415, 422].includes(answer.status)) return undefined;
  const body = RejectionBody.safeParse(answer.json());
  if (!body.success) return undefined;
  const { code, fields } = body.data.error;
  return {
    verdict: 'rejected',
    ...(code !== undefined && { code }),
    ...(fields && { message: JSON.stringify(fields) }),
  };
}

/** @returns a ServiceError where the user's fields are at fault; else the same error */
export function asUserRejection(error: unknown): unknown {
  if (!(error instanceof UpstreamError)) return error;
  if (error.failure.status === 409)
    return new ServiceError('conflict', 'The property-project system already has a user with this e-mail.', {
      cause: error,
      faults: [{ pointer: '/email', detail: 'belongs to another user' }],
    });
  if (error.failure.status !== 422) return error;
  return new ServiceError('invalid-input', 'The property-project system rejected this user.', {
    cause: error,
    faults: userFaults(error.failure.message),
  });
}

/** @returns a ServiceError where the image is at fault; else the same error */
export function asImageRejection(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || ![413, 415, 422].includes(error.failure.status ?? 0)) return error;
  const tooLarge = error.failure.status === 413;
  return new ServiceError(
    'invalid-input',
    tooLarge
      ? 'The image is too large for the property-project system, even after it was reduced.'
      : 'The property-project system rejected this image.',
    { cause: error, faults: [{ pointer: '/file', detail: tooLarge ? 'is too large' : 'is rejected' }] },
  );
}

function userFaults(fields: string | undefined) {
  const details: unknown = JSON.parse(fields ?? '{}');
  return Object.entries(details ?? {}).map(([field, detail]) => {
    const name = camelCase(field);
    const pointer = name in ProjectUserFields.shape ? `/${name}` : '';
    return { pointer, detail: String(detail).slice(0, 300) };
  });
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
