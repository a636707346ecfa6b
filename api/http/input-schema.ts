/**
 * JSON Schema of an operation's input: the API document shows it, and parse-input.ts rejects the members that it does not
 * name. An object is closed (`additionalProperties: false`) unless its metadata says `additionalProperties: true`.
 */
import { z } from 'zod';
import { closestName } from '../../core/values/closest-name.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;
type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

export const closeObjects: Override = ({ zodSchema, jsonSchema }) => {
  if (zodSchema._zod.def.type === 'object') jsonSchema.additionalProperties ??= false;
};

/** Metadata of the query of an address that people open: apps add parameters of their own to links. */
export const openQuery = { additionalProperties: true };

export interface UnknownMember {
  path: PropertyKey[];
  /** Its message, with the closest known name, or with all names. */
  detail: string;
  /** The closest known name. */
  closest: string | undefined;
  /** The object accepts further members, and ignores them. */
  isIgnored: boolean;
}

const schemas = new WeakMap<z.ZodType, JsonSchema>();

/** The members of a value that the objects of the schema do not name; none inside free-form objects. */
export function unknownMembers(schema: z.ZodType, value: unknown): UnknownMember[] {
  let root = schemas.get(schema);
  root ??= z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: closeObjects });
  schemas.set(schema, root);
  return membersOf(value, root, { definitions: root.$defs ?? {}, path: [] });
}

interface Position {
  definitions: Readonly<Record<string, JsonSchema>>;
  path: PropertyKey[];
}

function membersOf(value: unknown, schema: unknown, at: Position): UnknownMember[] {
  if (!isObject(value) || !isObject(schema)) return [];
  const { $ref, anyOf, oneOf, properties, additionalProperties, items }: JsonSchema = schema;
  if ($ref !== undefined) return membersOf(value, at.definitions[$ref.split('/').at(-1) ?? ''], at);
  const options = [...(anyOf ?? []), ...(oneOf ?? [])].filter(option => accepts(option, value, at));
  if (options.length > 0) return fewest(options.map(option => membersOf(value, option, at)));
  const inside = (name: PropertyKey) => ({ ...at, path: [...at.path, name] });
  if (Array.isArray(value)) return value.flatMap((item, index) => membersOf(item, items, inside(index)));
  return Object.entries(value).flatMap(([name, member]): UnknownMember[] => {
    const known = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined || properties === undefined)
      return membersOf(member, known ?? additionalProperties, inside(name));
    const names = Object.keys(properties);
    const detail = `is unknown; ${hint(name, names)}`;
    const closest = closestName(name, names);
    return [{ path: inside(name).path, detail, closest, isIgnored: additionalProperties === true }];
  });
}

/** Whether an option of a union is for this type of value. */
function accepts({ $ref, type }: JsonSchema, value: object, { definitions }: Position): boolean {
  const named = $ref === undefined ? type : definitions[$ref.split('/').at(-1) ?? '']?.type;
  return named === (Array.isArray(value) ? 'array' : 'object');
}

const fewest = (lists: readonly UnknownMember[][]): UnknownMember[] =>
  lists.reduce((best, list) => (list.length < best.length ? list : best));

/** Such as "did you mean dryRun?". */
export function hint(name: string, known: readonly string[]): string {
  const closest = closestName(name, known);
  if (closest !== undefined) return `did you mean ${closest}?`;
  return known.length === 0 ? 'nothing is accepted here' : `known are ${known.join(', ')}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
