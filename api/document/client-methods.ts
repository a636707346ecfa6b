/** The methods of the client: one for each operation, with the place of each member of its input. */
import { isObject, type Json, type JsonObject, listAt, objectAt } from './examples.ts';

export interface ClientMethod {
  id: string;
  group: string;
  name: string;
  /** Such as `GET`. */
  verb: string;
  path: string;
  description: string;
  /** Whether a query is sent; not one that only repeats members of the body. */
  hasQuery: boolean;
  /** Query parameters of an operation that has a body, too. */
  queryNames: readonly string[];
  /** Content type of the body. */
  body: string | undefined;
  /** Whether a call without input is possible. */
  isInputOptional: boolean;
  acceptsKey: boolean;
  answer: 'json' | 'page' | 'file' | 'events';
  /** Statuses and content types of the answers, without problems. */
  answers: readonly (readonly [status: string, contentType: string | undefined])[];
}

/** Without operations that only redirect, which people open in a browser. */
export function clientMethods(document: JsonObject): ClientMethod[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([verb, operation]) => {
      const method = isObject(operation) ? methodOf(verb.toUpperCase(), path, operation) : undefined;
      return method === undefined || method.answers.length === 0 ? [] : [method];
    }),
  );
}

function methodOf(verb: string, path: string, operation: JsonObject): ClientMethod {
  const id = String(operation.operationId);
  const [group = '', name = ''] = id.split('.');
  const parameters = listAt(operation, 'parameters').filter(isObject);
  const query = parameters.filter(parameter => parameter.in === 'query');
  const [body, media] = Object.entries(objectAt(objectAt(operation, 'requestBody'), 'content'))[0] ?? [];
  const members = Object.keys(objectAt(objectAt(media, 'schema'), 'properties'));
  const hasQuery = query.length > 0 && !query.some(parameter => members.includes(String(parameter.name)));
  const isNeeded = parameters.some(({ in: place, required }) => required === true && place !== 'header');
  const answers = answersOf(operation);
  return {
    id,
    group,
    name,
    verb,
    path,
    description: String(operation.description),
    hasQuery,
    queryNames: hasQuery && body !== undefined ? query.map(parameter => String(parameter.name)) : [],
    body,
    isInputOptional: !isNeeded && objectAt(operation, 'requestBody').required !== true,
    acceptsKey: parameters.some(parameter => parameter.name === 'Idempotency-Key'),
    answer: kindOf(operation, answers),
    answers,
  };
}

function answersOf(operation: JsonObject): ClientMethod['answers'] {
  return Object.entries(objectAt(operation, 'responses')).flatMap(([status, response]) => {
    if (Number(status) >= 300) return [];
    const types = Object.keys(objectAt(response, 'content'));
    return [[status, types.find(type => type.endsWith('json')) ?? types[0]] as const];
  });
}

function kindOf(operation: JsonObject, answers: ClientMethod['answers']): ClientMethod['answer'] {
  const [, type] = answers[0] ?? [];
  if (type === 'text/event-stream') return 'events';
  const responses = objectAt(operation, 'responses');
  if (responses['206'] !== undefined || !(type?.endsWith('json') ?? true)) return 'file';
  const content = objectAt(objectAt(responses, '200'), 'content');
  const page = objectAt(objectAt(objectAt(content, 'application/json'), 'schema'), 'properties');
  return page.nextCursor === undefined ? 'json' : 'page';
}

/** `client/src/routes.ts`: a route is a method, a path, the query parameters beside a body, and what is not usual. */
export function routesModule(document: JsonObject, methods: readonly ClientMethod[]): string {
  const groups = [...new Set(methods.map(({ group }) => group))];
  const lines = groups.flatMap(group => [
    `  ${group}: {`,
    ...methods.filter(method => method.group === group).map(method => `    ${method.name}: ${routeText(method)},`),
    '  },',
  ]);
  return [
    '/** Generated from the API document by `npm run client:types`. */',
    '',
    `export const version = ${quoted(objectAt(document, 'info').version ?? '')};`,
    '',
    '/**',
    ' * By group and name: method, path (with the query parameters beside a body), and what is not usual: `json`, `form` or `file` is',
    ' * the body, `key` accepts an `Idempotency-Key`, `page`, `binary` or `events` is the answer.',
    ' */',
    'export const routes: Readonly<Record<string, Readonly<Record<string, string>>>> = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

const bodyWords: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'file',
};
const answerWords = { json: [], page: ['page'], file: ['binary'], events: ['events'] } as const;

function routeText({ verb, path, queryNames, body, acceptsKey, answer }: ClientMethod): string {
  const query = queryNames.length === 0 ? '' : `?${queryNames.join('&')}`;
  const bodyWord = body === undefined ? [] : [bodyWords[body] ?? body];
  return quoted([verb, path + query, ...bodyWord, ...(acceptsKey ? ['key'] : []), ...answerWords[answer]].join(' '));
}

const quoted = (text: Json): string => `'${text}'`;
