/** Parses path, query and body by an operation's schemas; all faults are told at once, with JSON Pointers. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Fault, ServiceError } from '../../core/runtime/errors.ts';
import { OauthError } from './oauth-error.ts';
import type { Input, Operation, RequestSchemas } from './operation.ts';

const maxFaults = 500;

/** Undefined: the body. */
type Place = Fault['in'];

/**
 * @throws ServiceError invalid-input with every fault
 * @throws OauthError invalid_request on an OAuth operation
 */
export async function parseInput<R extends RequestSchemas>(
  operation: Operation<R>,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
): Promise<Input<R>> {
  const faults: Fault[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown, place?: Place): unknown => {
    if (place || operation.style === 'oauth') faults.push(...nulFaults(value, place));
    const parsed = schema?.safeParse(value);
    if (parsed?.error) faults.push(...faultsOf(parsed.error, place));
    return parsed?.data;
  };
  const input = {
    params: parse(operation.request.params, request.params, 'path'),
    query: parse(operation.request.query, request.query, 'query'),
    // Fastify says null where nothing was sent; a schema's default stands in for undefined only.
    body: parse(operation.request.body, request.body ?? undefined),
  };
  if (faults.length > 0) refuse(operation, faults);
  // Each part was parsed by the schema that its type is inferred from.
  return input as Input<R>;
}

function refuse(operation: Operation<RequestSchemas>, faults: Fault[]): never {
  if (operation.style === 'oauth') {
    const names = faults.map(fault => `${fault.pointer.slice(1)} ${fault.detail}`);
    throw new OauthError('invalid_request', names.join('; '));
  }
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  throw new ServiceError('invalid-input', `The input has ${count}.`, { faults: faults.slice(0, maxFaults) });
}

/** PostgreSQL stores no NUL; addresses and forms, which can carry one, have no use for it. */
function nulFaults(given: unknown, place: Place): Fault[] {
  return Object.entries(given ?? {})
    .filter(([, value]) => String(value).includes('\0'))
    .map(([name]) => ({
      pointer: toPointer([name]),
      detail: 'must not have a NUL character',
      ...(place && { in: place }),
    }));
}

function faultsOf(error: z.ZodError, place: Place): Fault[] {
  return error.issues.map(issue => ({
    pointer: toPointer(issue.path),
    detail: issue.message,
    ...(place && { in: place }),
  }));
}

/** RFC 6901 section 3: `~` is written `~0`, `/` is written `~1`. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map(key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
