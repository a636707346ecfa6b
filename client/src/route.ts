/** The routes of the operations, which are generated from the API document. */
import { InvalidOption } from './errors.ts';
import { routes } from './routes.ts';

export interface Route {
  /** The operation's id. */
  id: string;
  group: string;
  name: string;
  method: string;
  path: string;
  /** Query parameters of an operation that has a body, too; empty: all members are for the query, or for the body. */
  queryNames: readonly string[];
  words: ReadonlySet<string>;
}

export const allRoutes = (): Route[] =>
  Object.entries(routes).flatMap(([group, members]) =>
    Object.entries(members).map(([name, text]) => routeOf(group, name, text)),
  );

export function routeById(id: string): Route {
  const route = allRoutes().find(each => each.id === id);
  if (route) return route;
  throw new InvalidOption(`There is no operation ${id}.`);
}

function routeOf(group: string, name: string, text: string): Route {
  const [method = '', target = '', ...words] = text.split(' ');
  const [path = '', query] = target.split('?');
  return {
    id: `${group}.${name}`,
    group,
    name,
    method,
    path,
    queryNames: query?.split('&') ?? [],
    words: new Set(words),
  };
}

/** Values of path, query or body, by name. */
export type Input = Readonly<Record<string, unknown>>;

/**
 * @returns the path below the base path, with the query
 * @throws InvalidOption for a missing path parameter
 */
export function requestOf(route: Route, input: Input): { path: string; body: BodyInit | undefined } {
  const { id, path, queryNames, words } = route;
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    if (value !== undefined && value !== '') return encodeURIComponent(String(value));
    throw new InvalidOption(`"${name}" of ${id} must not be empty; it was ${JSON.stringify(value)}.`);
  });
  const hasBody = ['json', 'form', 'file'].some(word => words.has(word));
  const isInQuery = ([name]: [string, unknown]) => !hasBody || queryNames.includes(name);
  const query = new URLSearchParams([...rest].filter(isInQuery).map(([name, value]) => [name, String(value)]));
  const members = [...rest].filter(member => !isInQuery(member));
  return { path: query.size > 0 ? `${filled}?${query}` : filled, body: hasBody ? bodyOf(words, members) : undefined };
}

function bodyOf(words: Route['words'], members: readonly [string, unknown][]): BodyInit | undefined {
  if (words.has('json')) return members.length === 0 ? undefined : JSON.stringify(Object.fromEntries(members));
  if (words.has('form')) return new URLSearchParams(members.map(([name, value]) => [name, String(value)]));
  const form = new FormData();
  for (const [name, value] of members) form.append(name, value instanceof Blob ? value : String(value));
  return form;
}
