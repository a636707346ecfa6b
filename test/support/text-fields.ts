/** The text fields of request bodies in an API document. */
import { z } from 'zod';

export interface TextField {
  operation: string;
  /** JSON Pointer into the request body; the first item of each list. */
  pointer: string;
  maxLength: number | undefined;
  /** A body with nothing but the field. */
  bodyWith(value: string): unknown;
}

interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  maxLength?: number | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  allOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
  items?: Schema | undefined;
}
const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    maxLength: z.number().optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    allOf: z.array(Schema).optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: Schema.optional(),
  }),
);

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        requestBody: z.object({ content: z.record(z.string(), z.object({ schema: Schema })) }).optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

/** A definition that contains itself is read once. */
export function textFieldsOf(given: unknown): TextField[] {
  const document = Document.parse(JSON.parse(JSON.stringify(given)));
  const fields = new Map<string, TextField>();

  function read(operation: string, schema: Schema, keys: readonly (string | number)[], seen: readonly string[]): void {
    const name = schema.$ref?.split('/').at(-1);
    const definition = document.components.schemas[name ?? ''];
    if (name !== undefined && definition && !seen.includes(name)) read(operation, definition, keys, [...seen, name]);
    for (const option of [schema.anyOf, schema.oneOf, schema.allOf].flatMap(options => options ?? []))
      read(operation, option, keys, seen);
    for (const [member, of] of Object.entries(schema.properties ?? {})) read(operation, of, [...keys, member], seen);
    if (schema.items) read(operation, schema.items, [...keys, 0], seen);
    const isText = [schema.type].flat().includes('string') && !schema.enum && schema.const === undefined;
    if (!isText) return;
    const pointer = keys.map(key => `/${key}`).join('');
    const bodyWith = (value: string) =>
      keys.reduceRight<unknown>((part, key) => (key === 0 ? [part] : { [key]: part }), value);
    fields.set(`${operation} ${pointer}`, { operation, pointer, maxLength: schema.maxLength, bodyWith });
  }

  for (const { operationId, requestBody } of Object.values(document.paths).flatMap(methods => Object.values(methods)))
    for (const { schema } of Object.values(requestBody?.content ?? {})) read(operationId, schema, [], []);
  return [...fields.values()];
}
