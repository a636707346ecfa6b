/** Parses call parameters as PHP does: `filter[>ID]=5&select[]=ID` in query or form, or nested JSON. */

export type Parameters = Record<string, unknown>;

/** Parses a query string or form body. */
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

/** Top-level names are case-insensitive: `FILTER` is `filter`. */
export function parameter(parameters: Parameters, name: string): unknown {
  if (name in parameters) return parameters[name];
  const found = Object.keys(parameters).find(key => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : parameters[found];
}

/** A map parameter; PHP clients send an empty map as `[]`. Undefined if the value is not a map. */
export function mapParameter(parameters: Parameters, name: string): Parameters | undefined {
  const value = parameter(parameters, name);
  if (value === undefined || value === null || value === '') return {};
  if (Array.isArray(value)) return Object.fromEntries(value.map((entry, index) => [String(index), entry]));
  return isMap(value) ? value : undefined;
}

/** A positive integer, as number or text; undefined for anything else. */
export function idParameter(parameters: Parameters, name: string): number | undefined {
  const id = Number(parameter(parameters, name));
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** Encodes a map as PHP does: an empty map is `[]`, a map with the keys 0, 1, 2… is a list. */
export function phpMap(entries: readonly (readonly [string, unknown])[]): unknown {
  if (entries.every(([key], index) => key === String(index))) return entries.map(([, value]) => value);
  return Object.fromEntries(entries);
}

/** `a[b][]` → `a`, `b`, `` (empty: the next index). */
function pathOf(name: string): string[] {
  const bracket = name.indexOf('[');
  if (bracket <= 0) return [name];
  return [name.slice(0, bracket), ...[...name.slice(bracket).matchAll(/\[([^\]]*)\]/g)].map(([, key]) => key ?? '')];
}

function setAt(map: Parameters, key: string, rest: readonly string[], value: string): void {
  const target = key === '' ? String(nextIndex(map)) : key;
  const [next, ...further] = rest;
  if (next === undefined) {
    map[target] = value;
    return;
  }
  const inner = map[target];
  const child = isMap(inner) ? inner : {};
  map[target] = child;
  setAt(child, next, further, value);
}

function nextIndex(map: Parameters): number {
  return Object.keys(map)
    .filter(key => /^\d+$/.test(key))
    .reduce((next, key) => Math.max(next, Number(key) + 1), 0);
}

function withLists(map: Parameters): Parameters {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, toList(value)]));
}

function toList(value: unknown): unknown {
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, toList(inner)] as const);
  return entries.length > 0 ? phpMap(entries) : value;
}
