/** One operation in the API document. */
import { nameOf } from '../../core/integrations/kit/upstream-error.ts';
import type { LoadedOperation } from '../http/load-operations.ts';
import { type AnswerDescription, anyScope } from '../http/operation.ts';
import { exampleOf, type JsonObject, listAt, objectAt, toJson } from './examples.ts';
import { headerParameters, headersOf } from './headers.ts';
import { groupName } from './introduction.ts';
import { operationName } from './operation-name.ts';
import { problemResponses } from './problem-responses.ts';
import type { ConvertedSchemas } from './schemas.ts';

const urlEncoded = 'application/x-www-form-urlencoded';
const formTypes = { oauth: urlEncoded, 'page-form': urlEncoded, file: 'multipart/form-data' } as const;

/** The content type of the body of an operation. */
export const bodyType = ({ style }: Pick<LoadedOperation, 'style'>): string =>
  style === undefined || style === 'webhook' ? 'application/json' : formTypes[style];

export interface DocumentParts {
  schemas: ConvertedSchemas;
  /** The service's address with its base path. */
  baseUrl: string;
  /** Adds a response to the components. @returns the reference to it */
  share(name: string, response: JsonObject): JsonObject;
}

export function describeOperation(operation: LoadedOperation, parts: DocumentParts): JsonObject {
  const { id, group, scope, deprecated } = operation;
  return {
    operationId: id,
    tags: [groupName(group)],
    ...texts(operation),
    ...(deprecated && { deprecated: true, 'x-sunset': deprecated.sunset }),
    security: scope === null ? [] : [{ oauth: scope === anyScope ? [] : [scope] }],
    parameters: [
      ...parameters('path', parts.schemas.parts[`${id} params`], parts),
      ...parameters('query', parts.schemas.parts[`${id} query`], parts),
      ...headerParameters(operation),
    ],
    ...requestBody(operation, parts),
    responses: responses(operation, parts),
    ...(operation.startsJob !== undefined &&
      operation.request.body && { callbacks: { jobEnded: { $ref: '#/components/callbacks/JobEnded' } } }),
  };
}

/** `summary`: the name, for lists; `description`: the sentences, the scope, the systems that it calls. */
function texts({ id, summary, scope, request, calls = [], deprecated }: LoadedOperation): JsonObject {
  const caller =
    scope === null
      ? 'Public.'
      : scope === anyScope
        ? 'Requires any live token.'
        : `Requires a token with the scope \`${scope}\`.`;
  const isOpen = request.query?.meta()?.additionalProperties === true;
  const paragraphs = [
    deprecated &&
      `Deprecated since ${deprecated.since}; it will be removed on ${deprecated.sunset}. ${deprecated.instead}`,
    summary,
    isOpen && 'Ignores other query parameters: apps add their own to links that people open.',
    caller + (calls.length > 0 ? ` Calls ${new Intl.ListFormat('en').format(calls.map(nameOf))}.` : ''),
  ];
  return { summary: operationName(id), description: paragraphs.filter(Boolean).join('\n\n') };
}

function parameters(place: 'path' | 'query', schema: JsonObject | undefined, { schemas }: DocumentParts): JsonObject[] {
  const required = listAt(schema, 'required');
  return Object.keys(objectAt(schema, 'properties')).map(name => {
    const { description = '', ...property } = objectAt(objectAt(schema, 'properties'), name);
    const isRequired = place === 'path' || required.includes(name);
    // Pages to try operations would prefill optional parameters and so filter the result.
    const example = isRequired ? exampleOf(property, schemas.components) : undefined;
    return {
      name,
      in: place,
      required: isRequired,
      description,
      schema: property,
      ...(example !== undefined && { example }),
    };
  });
}

function requestBody(operation: LoadedOperation, { schemas }: DocumentParts): JsonObject {
  const { id, request } = operation;
  const schema = schemas.parts[`${id} body`];
  if (!request.body || !schema) return {};
  const isOptional = request.body.safeParse(undefined).success;
  return { requestBody: { required: !isOptional, content: { [bodyType(operation)]: media(schema, schemas) } } };
}

function responses(operation: LoadedOperation, { schemas, baseUrl, share }: DocumentParts): JsonObject {
  const described: JsonObject = {};
  const ofProblems = new Map<number, JsonObject>();
  for (const [key, answer] of Object.entries(operation.answers)) {
    const status = Number(key);
    const schema = schemas.parts[`${operation.id} ${status}`];
    if (status < 400 || answer.contentType !== undefined)
      described[status] = { ...contentOf(answer, schema, schemas), headers: headersOf(operation, status) };
    else if (schema) ofProblems.set(status, schema);
  }
  for (const { status, name, response } of problemResponses(operation, ofProblems, baseUrl))
    described[status] ??= share(name, response);
  return described;
}

function contentOf(
  { description, contentType = 'application/json', orContentType, example }: AnswerDescription,
  schema: JsonObject | undefined,
  schemas: ConvertedSchemas,
): JsonObject {
  const bytes = { schema: { type: 'string', format: 'binary' } };
  const content: JsonObject = {};
  if (schema) content[contentType] = { ...media(schema, schemas), ...(example && { example: toJson(example) }) };
  else if (contentType !== 'application/json') content[contentType] = bytes;
  for (const other of [orContentType ?? []].flat()) content[other] = bytes;
  return { description, ...(Object.keys(content).length > 0 && { content }) };
}

function media(schema: JsonObject, { components }: ConvertedSchemas): JsonObject {
  const example = exampleOf(schema, components);
  return { schema, ...(example !== undefined && { example }) };
}
