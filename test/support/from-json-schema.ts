/** Arbitrary valid and invalid values of a JSON Schema, for fuzz tests. */
import fc, { type Arbitrary } from 'fast-check';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Definitions by the last part of a `$ref`. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

/** Arbitrary JSON values, including hostile ones. */
export const junk: Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    '',
    ' ',
    '\u0000',
    '../..',
    '{{7*7}}',
    "' or 1=1 --",
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant<Json>('x'.repeat(70_000)),
  fc.constant<Json>({ __proto__: null, constructor: 'x', toString: 1 }),
  fc.jsonValue({ maxDepth: 2 }).map(value => value as Json),
);

export function valid(schema: JsonSchema, definitions: Definitions): Arbitrary<Json> {
  const options = [schema.anyOf, schema.oneOf].find(isSchemas);
  if (options) return fc.oneof(...options.map(option => valid(option, definitions)));
  if (typeof schema.$ref === 'string') return valid(resolveReference(schema.$ref, definitions), definitions);
  if ('const' in schema) return fc.constant(schema.const as Json);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]));
  if (isSchemas(schema.allOf)) {
    return fc
      .tuple(...schema.allOf.map(part => valid(part, definitions)))
      .map(parts => Object.assign({}, ...parts) as Json);
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map(type => valid({ ...schema, type }, definitions)));
  }
  return ofType(schema, definitions);
}

function ofType(schema: JsonSchema, definitions: Definitions): Arbitrary<Json> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: number(schema.minimum, -1_000),
        max: Math.min(number(schema.maximum, 1_000), 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: number(schema.minimum, -1e9), max: number(schema.maximum, 1e9), noNaN: true });
    case 'string':
      return text(schema);
    case 'array':
      return fc.array(valid(isSchema(schema.items) ? schema.items : {}, definitions), {
        minLength: number(schema.minItems, 0),
        maxLength: Math.min(number(schema.maxItems, 3), number(schema.minItems, 0) + 3),
      });
    case 'object':
      return object(schema, definitions);
    default:
      return junk;
  }
}

function object(schema: JsonSchema, definitions: Definitions): Arbitrary<Json> {
  const members = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const model = Object.fromEntries(
    members.flatMap(([name, member]) => (isSchema(member) ? [[name, valid(member, definitions)]] : [])),
  );
  return fc.record(model, { requiredKeys: Object.keys(model).filter(name => required.has(name)) });
}

function text(schema: JsonSchema): Arbitrary<Json> {
  if (typeof schema.pattern === 'string' && schema.format === undefined) {
    return fc.stringMatching(new RegExp(schema.pattern));
  }
  switch (schema.format) {
    case 'date-time':
      return fc
        .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
        .map(date => date.toISOString());
    case 'uri':
      return fc.webUrl();
    case 'email':
      return fc.emailAddress();
    default: {
      const minLength = number(schema.minLength, 0);
      const maxLength = Math.min(number(schema.maxLength, 40), Math.max(minLength, 40));
      return fc.string({ unit: 'grapheme', minLength, maxLength });
    }
  }
}

/** The value with one part replaced by junk or removed. */
export const broken = (value: Arbitrary<Json>): Arbitrary<Json> =>
  fc.tuple(value, fc.nat(), fc.option(junk, { nil: undefined })).map(([whole, choice, replacement]) => {
    const paths = pathsOf(whole);
    const path = paths[choice % paths.length] ?? [];
    return replaced(whole, path, replacement);
  });

type Path = readonly (string | number)[];

function pathsOf(value: Json, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...members.flatMap(([name, member]) => pathsOf(member, [...path, name]))];
}

/** @param replacement undefined: removes the member; items of arrays and the whole value become null */
function replaced(value: Json, [name, ...rest]: Path, replacement: Json | undefined): Json {
  if (name === undefined || typeof value !== 'object' || value === null) return replacement ?? null;
  if (Array.isArray(value))
    return value.map((item, index) => (index === name ? replaced(item, rest, replacement) : item));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (key !== name) return [[key, member]];
      return rest.length === 0 && replacement === undefined ? [] : [[key, replaced(member, rest, replacement)]];
    }),
  );
}

const resolveReference = (reference: string, definitions: Definitions): JsonSchema =>
  definitions[reference.split('/').at(-1) ?? ''] ?? {};
const number = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSchemas = (value: unknown): value is JsonSchema[] => Array.isArray(value) && value.every(isSchema);
