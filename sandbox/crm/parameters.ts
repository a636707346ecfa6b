/** Reads a call's parameters as PHP does: `filter[>ID]=5&select[]=ID` in query or form, or the same nested in JSON. */

export type Parameters = Record<string, unknown>;

/** From a query string or a form body. */
export function parsePhpQuery(text: string): Parameters {
  const root: Parameters = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = pathOf(name);
    setAt(root, first, rest, value);
  }
  return withLists(root);
}

export function isMap(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Top-level names count whatever their case: `FILTER` is `filter`. */
export function parameter(parameters: Parameters, name: string): unknown {
  if (name in parameters) return parameters[name];
  const found = Object.keys(parameters).find(key => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : parameters[found];
}

/** A map parameter; a PHP client sends an empty one as `[]`. Undefined for what is no map. */
export function mapParameter(parameters: Parameters, name: string): Parameters | undefined {
  const value = parameter(parameters, name);
  if (value === undefined || value === null || value === '') return {};
  if (Array.isArray(value)) return Object.fromEntries(value.map((of, index) => [String(index), of]));
  return isMap(value) ? value : undefined;
}

/** A whole number from 1, however it is spelled; undefined for anything else. */
export function idParameter(parameters: Parameters, name: string): number | undefined {
  const id = Number(parameter(parameters, name));
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** As PHP does with a map: an empty one is `[]`, one with the keys 0, 1, 2… is a list. */
export function phpMap(entries: readonly (readonly [string, unknown])[]): unknown {
  if (entries.every(([key], index) => key === String(index))) return entries.map(([, value]) => value);
  return Object.fromEntries(entries);
}

/** `a[b][]` → a, b, (empty: the next number). */
function pathOf(name: string): string[] {
  const bracket = name.indexOf('[');
  if (bracket <= 0) return [name];
  return [
    name.slice(0, bracket),
    ...[...name.slice(bracket).matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key ?? ''),
  ];
}

function setAt(map: Parameters, key: string, rest: readonly string[], value: string): void {
  const place = key === '' ? String(nextIndex(map)) : key;
  const [next, ...further] = rest;
  if (next === undefined) {
    map[place] = value;
    return;
  }
  const inner = map[place];
  const target = isMap(inner) ? inner : {};
  map[place] = target;
  setAt(target, next, further, value);
}

function nextIndex(map: Parameters): number {
  return Object.keys(map)
    .filter(key => /^\d+$/.test(key))
    .reduce((next, key) => Math.max(next, Number(key) + 1), 0);
}

function withLists(map: Parameters): Parameters {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, listed(value)]));
}

function listed(value: unknown): unknown {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, listed(inner)] as const);
  return entries.length > 0 ? phpMap(entries) : value;
}
