/**
 * Parses path, query and body with an operation's schemas and reports all faults together, with JSON Pointers: ill-formed
 * text, values that the schemas do not accept, and members that they do not name.
 */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Fault, invalidInput } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import { messageOf } from './input-messages.ts';
import { unknownMembers } from './input-schema.ts';
import { OauthError } from './oauth-error.ts';
import type { Input, Operation, RequestSchemas } from './operation.ts';

/** Undefined: the body. */
type Part = Fault['in'];

/** Levels of a value: code that writes or hashes JSON is recursive. */
const maxDepth = 64;

/** Schema of a part that the operation does not have. */
const Nothing = z.object({}).optional();

/**
 * @throws ServiceError invalid-input with every fault
 * @throws OauthError invalid_request on an OAuth operation
 */
export async function parseInput<R extends RequestSchemas>(
  operation: Operation<R>,
  request: Pick<FastifyRequest, 'params' | 'query' | 'body'> & Partial<Pick<FastifyRequest, 'url'>>,
  services?: ApiServices,
): Promise<Input<R>> {
  const isOauth = operation.style === 'oauth';
  const faults: Fault[] = [];
  const add = (part: Part, path: readonly PropertyKey[], detail: string) =>
    void faults.push({ pointer: toPointer(path), detail, ...(part && { in: part }) });
  const parse = (schema: z.ZodType = Nothing, value: unknown, part?: Part): unknown => {
    for (const { path, detail } of textFaults(value)) add(part, path, detail);
    const parsed = schema.safeParse(value, { error: messageOf });
    for (const { path, message } of parsed.error?.issues ?? []) add(part, path, message);
    // OAuth endpoints must ignore unknown parameters (RFC 6749 section 3.2).
    for (const { path, detail, closest, isIgnored } of isOauth ? [] : unknownMembers(schema, value)) {
      const meant = toPointer([...path.slice(0, -1), closest ?? '']);
      // An ignored member with a mistyped name may be why another one is missing.
      if (!isIgnored || faults.some(fault => fault.in === part && fault.pointer === meant)) add(part, path, detail);
    }
    return parsed.data;
  };
  const input = {
    params: parse(operation.request.params, request.params, 'path'),
    query: parse(operation.request.query, request.query, 'query'),
    // Fastify returns null for an empty body; schema defaults apply to undefined only.
    body: parse(operation.request.body, request.body ?? undefined),
  };
  // Fastify would leave bytes in another encoding as they are.
  for (const [name, text] of new URLSearchParams(request.url?.split('?').slice(1).join('?')))
    if (text.includes('\ufffd')) add('query', [name], 'must be percent-encoded UTF-8');
  const known = new Set(faults.map(fault => fault.pointer));
  const found = (services && operation.findFaults?.(request, services)) ?? [];
  faults.push(...found.filter(({ pointer }) => !known.has(pointer)));
  if (faults.length > 0) reject(isOauth, faults);
  // Each part was parsed with the schema that its type is inferred from.
  return input as Input<R>;
}

function reject(isOauth: boolean, faults: Fault[]): never {
  if (!isOauth) throw invalidInput(faults);
  const names = faults.map(fault => `${fault.pointer.slice(1)} ${fault.detail}`);
  throw new OauthError('invalid_request', names.join('; '));
}

const illFormed = /\0|\p{Surrogate}/u;

/** PostgreSQL cannot store NUL, and UTF-8 cannot encode lone surrogates. */
function textFaults(
  value: unknown,
  path: readonly PropertyKey[] = [],
): { path: readonly PropertyKey[]; detail: string }[] {
  if (typeof value === 'string') {
    if (!illFormed.test(value)) return [];
    return [
      { path, detail: value.includes('\0') ? 'must not have a NUL character' : 'must not have a lone surrogate' },
    ];
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if (path.length === maxDepth) return [{ path: [], detail: `must be nested at most ${maxDepth} levels deep` }];
  return Object.entries(value).flatMap(([name, member]) => {
    const inside = [...path, name];
    return [...textFaults(name, inside), ...textFaults(member, inside)];
  });
}

/** RFC 6901 section 3: escapes `~` as `~0` and `/` as `~1`. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map(key => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
