/** Parses path, query and body with an operation's schemas and reports all faults together, with JSON Pointers. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Fault, ServiceError } from '../../core/runtime/errors.ts';
import { OauthError } from './oauth-error.ts';
import type { Input, Operation, RequestSchemas } from './operation.ts';

const maxFaults = 500;

/** Undefined: the body. */
type Part = Fault['in'];

/**
 * @throws ServiceError invalid-input with every fault
 * @throws OauthError invalid_request on an OAuth operation
 */
export async function parseInput<R extends RequestSchemas>(
  operation: Operation<R>,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body'>,
): Promise<Input<R>> {
  const faults: Fault[] = [];
  const parse = (schema: z.ZodType | undefined, value: unknown, part?: Part): unknown => {
    if (part || operation.style === 'oauth') faults.push(...nulFaults(value, part));
    const parsed = schema?.safeParse(value);
    if (parsed?.error) faults.push(...faultsOf(parsed.error, part));
    return parsed?.data;
  };
  const input = {
    params: parse(operation.request.params, request.params, 'path'),
    query: parse(operation.request.query, request.query, 'query'),
    // Fastify returns null for an empty body; schema defaults apply to undefined only.
    body: parse(operation.request.body, request.body ?? undefined),
  };
  if (faults.length > 0) reject(operation, faults);
  // Each part was parsed with the schema that its type is inferred from.
  return input as Input<R>;
}

function reject(operation: Operation<RequestSchemas>, faults: Fault[]): never {
  if (operation.style === 'oauth') {
    const names = faults.map(fault => `${fault.pointer.slice(1)} ${fault.detail}`);
    throw new OauthError('invalid_request', names.join('; '));
  }
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  throw new ServiceError('invalid-input', `The input has ${count}.`, { faults: faults.slice(0, maxFaults) });
}

/** PostgreSQL cannot store NUL, which path, query and forms can contain. */
function nulFaults(given: unknown, part: Part): Fault[] {
  return Object.entries(given ?? {})
    .filter(([, value]) => String(value).includes('\0'))
    .map(([name]) => ({
      pointer: toPointer([name]),
      detail: 'must not have a NUL character',
      ...(part && { in: part }),
    }));
}

function faultsOf(error: z.ZodError, part: Part): Fault[] {
  return error.issues.map(issue => ({
    pointer: toPointer(issue.path),
    detail: issue.message,
    ...(part && { in: part }),
  }));
}

/** RFC 6901 section 3: escapes `~` as `~0` and `/` as `~1`. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map(key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
