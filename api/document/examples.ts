/** Examples of JSON Schemas: the stated one, or one composed of the examples of its parts. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objectAt = (value: Json | undefined, name: string): JsonObject => {
  const found = isObject(value) ? value[name] : undefined;
  return isObject(found) ? found : {};
};
export const listAt = (value: JsonObject | undefined, name: string): Json[] => {
  const found = value?.[name];
  return Array.isArray(found) ? found : [];
};

/** As JSON: a time as text, without undefined members. */
export const toJson = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

const exampleTimes: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T08:00:00.000Z',
  date: '2026-01-31',
};

/** Undefined when a required part has no example. */
export function exampleOf(schema: JsonObject, schemas: JsonObject): Json | undefined {
  const [own] = listAt(schema, 'examples');
  if (own !== undefined) return own;
  if (typeof schema.$ref === 'string') {
    return exampleOf(objectAt(schemas, schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)), schemas);
  }
  const parts = listAt(schema, 'allOf').filter(isObject);
  if (parts.length > 0) return mergedExample(parts, schemas);
  const choices = [...listAt(schema, 'anyOf'), ...listAt(schema, 'oneOf')].filter(isObject);
  if (choices.length > 0) return firstExample(choices, schemas);
  const types = [schema.type].flat();
  if (types.includes('object')) return objectExample(schema, schemas);
  if (types.includes('array')) {
    const item = exampleOf(objectAt(schema, 'items'), schemas);
    return item === undefined ? undefined : [item];
  }
  for (const word of ['const', 'default']) if (schema[word] !== undefined) return schema[word];
  const [member] = listAt(schema, 'enum');
  if (member !== undefined) return member;
  return exampleTimes[String(schema.format)] ?? (types.includes('null') ? null : undefined);
}

function objectExample(schema: JsonObject, schemas: JsonObject): Json | undefined {
  const required = listAt(schema, 'required');
  const example: JsonObject = {};
  for (const [name, property] of Object.entries(objectAt(schema, 'properties'))) {
    if (!isObject(property)) continue;
    // Shows an optional member only when it has an example, so that the request runs as it is.
    const value = required.includes(name) ? exampleOf(property, schemas) : listAt(property, 'examples')[0];
    if (value !== undefined) example[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return example;
}

function mergedExample(parts: readonly JsonObject[], schemas: JsonObject): Json | undefined {
  const examples = parts.map(part => exampleOf(part, schemas));
  return examples.every(isObject) ? Object.assign({}, ...examples) : undefined;
}

/** Prefers examples other than null. */
function firstExample(choices: readonly JsonObject[], schemas: JsonObject): Json | undefined {
  const examples = choices.map(choice => exampleOf(choice, schemas));
  return examples.find(example => example !== undefined && example !== null) ?? examples.find(e => e === null);
}
