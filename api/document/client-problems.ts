/** The problems of each operation as one response, so that the client's types have them once. */
import { isObject, type Json, type JsonObject, listAt, objectAt } from './examples.ts';

const problemType = 'application/problem+json';

/** The document with the problems of each operation as its `default` response, and without unused parts. */
export function withSharedProblems(document: JsonObject): JsonObject {
  const shared = objectAt(document.components, 'responses');
  const paths = mapObject(objectAt(document, 'paths'), methods =>
    mapObject(methods, operation => withOneProblem(operation, shared)),
  );
  return { openapi: '3.1.1', info: {}, paths, components: { schemas: objectAt(document.components, 'schemas') } };
}

function withOneProblem(operation: JsonObject, shared: JsonObject): JsonObject {
  const { callbacks: _, ...rest } = operation;
  const responses: JsonObject = {};
  const problems: JsonObject[] = [];
  for (const [status, response] of Object.entries(objectAt(operation, 'responses'))) {
    const { $ref } = objectAt({ response }, 'response');
    const resolved = typeof $ref === 'string' ? objectAt(shared, $ref.split('/').at(-1) ?? '') : response;
    const content = objectAt(resolved, 'content');
    const problem = objectAt(objectAt(content, problemType), 'schema');
    if (Object.keys(problem).length > 0) problems.push(problem);
    else responses[status] = resolved ?? null;
  }
  const schema = { anyOf: merged(problems) };
  const problem = { description: 'A problem.', content: { [problemType]: { schema } } };
  return {
    ...rest,
    parameters: listAt(operation, 'parameters').map(withoutHeaderText),
    responses: problems.length === 0 ? responses : { ...responses, default: problem },
  };
}

/** The texts of headers are long, and the same for all operations. */
const withoutHeaderText = (parameter: Json): Json =>
  isObject(parameter) && parameter.in === 'header' ? { ...parameter, description: '' } : parameter;

/** One schema for all problems that differ in `code` only. */
function merged(problems: readonly JsonObject[]): JsonObject[] {
  const codes: Json[] = [];
  const others: JsonObject[] = [];
  for (const problem of problems) {
    const [, narrowed] = listAt(problem, 'allOf');
    const own = listAt(
      objectAt(objectAt(objectAt({ narrowed: narrowed ?? null }, 'narrowed'), 'properties'), 'code'),
      'enum',
    );
    if (own.length > 0) codes.push(...own);
    else others.push(problem);
  }
  const code = { type: 'object', required: ['code'], properties: { code: { enum: [...new Set(codes)] } } };
  const usual = { allOf: [{ $ref: '#/components/schemas/Problem' }, code] };
  return codes.length === 0 ? others : [usual, ...others];
}

function mapObject(object: JsonObject, change: (member: JsonObject) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, member]) => (isObject(member) ? [[name, change(member)]] : [])),
  );
}
