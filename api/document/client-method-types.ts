/** TypeScript of the client's methods and of its raw calls, as text. */
import type { ClientMethod } from './client-methods.ts';
import { isObject, type JsonObject, objectAt } from './examples.ts';

/** The operations by method and path. */
export function rawRoutes(document: JsonObject): string {
  const byVerb = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(objectAt(document, 'paths'))) {
    for (const [verb, operation] of Object.entries(isObject(methods) ? methods : {})) {
      const lines = byVerb.get(verb) ?? [];
      byVerb.set(verb, lines);
      lines.push(`\t\t'${path}': operations['${objectAt({ operation }, 'operation').operationId}'];`);
    }
  }
  const parts = [...byVerb].flatMap(([verb, lines]) => [`\t${verb}: {`, ...lines, '\t};']);
  return ['export interface Routes {', ...parts, '}', ''].join('\n');
}

/** `client/src/method-types.ts`: the interface `Methods` has one member for each group of operations. */
export function methodTypes(methods: readonly ClientMethod[]): string {
  const groups = [...new Set(methods.map(({ group }) => group))];
  const parts = groups.flatMap(group => [
    `\t${group}: {`,
    ...methods.filter(method => method.group === group).flatMap(methodLines),
    '\t};',
  ]);
  return [...imports, '', 'export interface Methods {', ...parts, '}', ''].join('\n');
}

const imports = [
  "import type { Download } from './download.ts';",
  "import type { JobEvent } from './job-events.ts';",
  "import type { Pages } from './pages.ts';",
  "import type { operations } from './schema.ts';",
  "import type { MethodOptions } from './transport.ts';",
];

function methodLines(method: ClientMethod): string[] {
  const text = method.description.replaceAll('*/', '* /').split('\n\n').join(' ');
  const input = `input${method.isInputOptional ? '?' : ''}: ${inputType(method)}`;
  return [`\t\t/** ${text} */`, `\t\t${method.name}(${input}, options?: MethodOptions): ${answerType(method)};`];
}

function inputType({ id, path, hasQuery, body }: ClientMethod): string {
  const operation = `operations['${id}']`;
  const parts = [
    ...(path.includes('{') ? [`${operation}['parameters']['path']`] : []),
    ...(hasQuery ? [`NonNullable<${operation}['parameters']['query']>`] : []),
    ...(body === undefined ? [] : [bodyType(`NonNullable<${operation}['requestBody']>['content']['${body}']`, body)]),
  ];
  return parts.length === 0 ? 'Record<string, never>' : parts.join(' & ');
}

/** The document has files as text. */
const bodyType = (type: string, contentType: string): string =>
  contentType === 'multipart/form-data' ? `Record<keyof ${type}, Blob>` : type;

function answerType({ id, answer, answers }: ClientMethod): string {
  if (answer === 'file') return 'Promise<Download>';
  if (answer === 'events') return 'AsyncGenerator<JobEvent, void>';
  const types = answers.map(([status, type]) =>
    type === undefined ? 'undefined' : `operations['${id}']['responses'][${status}]['content']['${type}']`,
  );
  return `${answer === 'page' ? 'Pages' : 'Promise'}<${types.join(' | ')}>`;
}
