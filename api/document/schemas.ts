/** JSON Schemas of the API document, converted from the zod schemas of all operations at once. */
import { z } from 'zod';
import type { JobContract } from '../../core/jobs/contract.ts';
import { JobResource, jobResourceOf } from '../../core/jobs/resource.ts';
import { closeObjects } from '../http/input-schema.ts';
import type { LoadedOperation } from '../http/load-operations.ts';
import { isObject, type JsonObject } from './examples.ts';
import { readGlossary } from './introduction.ts';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;
type ZodTypes = Readonly<Record<string, z.ZodType>>;

export interface ConvertedSchemas {
  /** By operation id and part: `jobs.get params`, `jobs.get query`, `jobs.get body`, `jobs.get 200`. */
  parts: Readonly<Record<string, JsonObject>>;
  /** By id. */
  components: Readonly<Record<string, JsonObject>>;
}

/**
 * @param others by id
 * @throws Error for an id of two different schemas
 */
export function convertSchemas(
  operations: readonly LoadedOperation[],
  contracts: readonly JobContract[],
  others: ZodTypes,
): ConvertedSchemas {
  const inputs = operations.flatMap(({ id, style, request: { params, query, body } }) =>
    // OAuth endpoints ignore unknown parameters.
    Object.entries({
      params,
      query,
      body: style === 'oauth' ? body?.meta({ additionalProperties: true }) : body,
    }).flatMap(([part, schema]) => (schema ? [[`${id} ${part}`, schema] as const] : [])),
  );
  const outputs = operations.flatMap(({ id, answers }) =>
    Object.entries(answers).flatMap(([status, { schema }]) => (schema ? [[`${id} ${status}`, schema] as const] : [])),
  );
  const jobs = contracts.map(contract => [contract.kind, jobResourceOf(contract)] as const);
  const input = convert(Object.fromEntries(inputs), 'input', simplify);
  const output = convert({ ...Object.fromEntries([...outputs, ...jobs]), ...others }, 'output', withKinds(jobs));
  for (const [id, schema] of Object.entries(input.components)) {
    if (output.components[id] && JSON.stringify(output.components[id]) !== JSON.stringify(schema))
      throw new Error(`The schema ${id} differs between requests and responses: give them different ids.`);
  }
  return {
    parts: { ...input.parts, ...output.parts },
    components: { ...input.components, ...output.components },
  };
}

const simplify: Override = context => {
  const { zodSchema, jsonSchema } = context;
  closeObjects(context);
  // Not every validator reads patterns as Unicode (`\P{Cc}`: no control characters).
  if (jsonSchema.pattern)
    jsonSchema.pattern = jsonSchema.pattern.replace('\\P{Cc}', '[^\\u0000-\\u001f\\u007f-\\u009f]');
  // The format says enough; the patterns that zod adds are long.
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  // Beside a reference it would reject all properties.
  if (jsonSchema.$ref !== undefined) delete jsonSchema.additionalProperties;
  const { type, examples } = z.globalRegistry.get(zodSchema) ?? {};
  // The metadata has the type of a parameter that is sent as text, such as a number.
  if (type !== undefined) {
    delete jsonSchema.pattern;
    delete jsonSchema.enum;
  }
  // Zod omits defaults and examples of transformed input; here they always show the sent value.
  if (zodSchema instanceof z.ZodDefault && /^(integer|boolean)$/.test(String(jsonSchema.type)))
    jsonSchema.default = zodSchema.def.defaultValue;
  if (Array.isArray(examples) && jsonSchema.$ref === undefined) jsonSchema.examples = examples;
};

/** Makes `Job` the union of the jobs of all kinds, which `kind` tells apart. */
const withKinds =
  (jobs: readonly (readonly [kind: string, schema: z.ZodType])[]): Override =>
  context => {
    const { zodSchema, jsonSchema } = context;
    simplify(context);
    if (zodSchema !== JobResource || jobs.length === 0) return;
    const { examples = [] } = jsonSchema;
    for (const name of Object.keys(jsonSchema)) delete jsonSchema[name];
    const mapping = Object.fromEntries(jobs.map(([kind, schema]) => [kind, `#/$defs/${schema.meta()?.id}`]));
    const oneOf = Object.values(mapping).map($ref => ({ $ref }));
    const description = 'A job; `kind` determines the type of its `result`.';
    Object.assign(jsonSchema, { description, oneOf, discriminator: { propertyName: 'kind', mapping }, examples });
  };

/** All at once, because a schema that occurs several times is converted once. */
function convert(schemas: ZodTypes, io: 'input' | 'output', override: Override) {
  const converted = z.toJSONSchema(z.object(schemas), { io, unrepresentable: 'any', override });
  const text = JSON.stringify(converted).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { properties, $defs = {} } = Converted.parse(JSON.parse(text, withUsualDescriptions));
  return { parts: properties, components: $defs };
}

const glossary = readGlossary();

/** Reviver: describes the properties of an object. */
function withUsualDescriptions(key: string, value: unknown): unknown {
  if (key !== 'properties' || !isObject(value)) return value;
  const properties = Object.entries(value).map(([name, property]) => {
    const usual = glossary[name];
    const isDescribed = !isObject(property) || property.$ref !== undefined || property.description !== undefined;
    return [name, isDescribed || usual === undefined ? property : { description: usual, ...property }];
  });
  return Object.fromEntries(properties);
}

const Schemas = z.record(z.string(), z.custom<JsonObject>(isObject));
const Converted = z.object({ properties: Schemas, $defs: Schemas.optional() });
