/** Frappe's list queries: `fields` and `filters` as JSON, `order_by`, 20 rows a page by default. */
import { z } from 'zod';
import type { Doc, Doctype } from './doctypes.ts';
import { FrappeError } from './frappe-error.ts';

const Value = z.union([z.string(), z.number(), z.null(), z.boolean(), z.array(z.union([z.string(), z.number()]))]);
type Value = z.infer<typeof Value>;
const Condition = z.union([
  z.tuple([z.string(), z.string(), Value]),
  z.tuple([z.string(), z.string(), z.string(), Value]),
]);
const Filters = z.union([z.array(Condition), z.record(z.string(), z.union([z.tuple([z.string(), Value]), Value]))]);

type Query = Readonly<Record<string, unknown>>;

const defaultPageLength = 20;

export function listDocs(docs: readonly Doc[], doctype: Doctype, query: Query): object[] {
  const fields = readFields(query.fields, doctype);
  const start = Number(query.limit_start ?? 0);
  const length = Number(query.limit_page_length ?? query.limit ?? defaultPageLength);
  const found = sortDocs(filterDocs(docs, doctype, query), String(query.order_by ?? 'modified desc'));
  return (length === 0 ? found.slice(start) : found.slice(start, start + length)).map(doc =>
    Object.fromEntries(fields.map(field => [field, doc[field] ?? null])),
  );
}

/** Documents that match all of `filters` and any of `or_filters`. */
export function filterDocs(docs: readonly Doc[], doctype: Doctype, query: Query): Doc[] {
  const all = readConditions(query.filters, doctype);
  const any = readConditions(query.or_filters, doctype);
  return docs.filter(doc => all.every(holds => holds(doc)) && (any.length === 0 || any.some(holds => holds(doc))));
}

function readFields(given: unknown, doctype: Doctype): string[] {
  if (given === undefined) return ['name'];
  const fields = z.array(z.string()).safeParse(parseJson(given)).data ?? [];
  return fields.flatMap(field => {
    if (field === '*') return Object.keys(doctype.fields);
    return assertField(field.replaceAll('`', ''), doctype);
  });
}

function readConditions(given: unknown, doctype: Doctype): ((doc: Doc) => boolean)[] {
  if (given === undefined || given === '') return [];
  const filters = Filters.safeParse(parseJson(given));
  if (!filters.success) throw new FrappeError('ValidationError', 'Invalid filter');
  const conditions = Array.isArray(filters.data)
    ? filters.data.map(condition => condition.slice(-3))
    : Object.entries(filters.data).map(([field, condition]) =>
        Array.isArray(condition) && condition.length === 2 ? [field, ...condition] : [field, '=', condition],
      );
  return conditions.map(([field, operator, value]) => {
    const name = assertField(String(field), doctype);
    const compare = operators[String(operator).toLowerCase()];
    if (!compare)
      throw new FrappeError('ValidationError', `Operator must be one of ${Object.keys(operators).join(', ')}`);
    return doc => compare(doc[name] ?? null, Value.parse(value));
  });
}

function assertField(field: string, doctype: Doctype): string {
  if (field in doctype.fields) return field;
  throw new FrappeError('DataError', `Field not permitted in query: ${field}`);
}

type Field = Doc[string] | null;
/** MariaDB's default collation is case-insensitive. */
const foldCase = (value: unknown): string => String(value ?? '').toLowerCase();
const isLike = (field: Field, pattern: Value): boolean =>
  new RegExp(
    `^${foldCase(pattern)
      .replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')
      .replaceAll('%', '.*')}$`,
    's',
  ).test(foldCase(field));
const isIn = (field: Field, list: Value): boolean =>
  (Array.isArray(list) ? list : String(list).split(',')).some(value => foldCase(value) === foldCase(field));
const isSet = (field: Field): boolean => field !== null && field !== '';

const operators: Readonly<Record<string, (field: Field, value: Value) => boolean>> = {
  '=': (field, value) => foldCase(field) === foldCase(value),
  '!=': (field, value) => foldCase(field) !== foldCase(value),
  '>': (field, value) => foldCase(field) > foldCase(value),
  '>=': (field, value) => foldCase(field) >= foldCase(value),
  '<': (field, value) => isSet(field) && foldCase(field) < foldCase(value),
  '<=': (field, value) => isSet(field) && foldCase(field) <= foldCase(value),
  like: isLike,
  'not like': (field, value) => !isLike(field, value),
  in: isIn,
  'not in': (field, value) => !isIn(field, value),
  between: (field, value) =>
    Array.isArray(value) && foldCase(field) >= foldCase(value[0]) && foldCase(field) <= foldCase(value[1]),
  is: (field, value) => isSet(field) === (value === 'set'),
};

function sortDocs(docs: readonly Doc[], orderBy: string): Doc[] {
  const [, field = 'modified', direction = 'asc'] =
    /^[`\w.\s]*?`?(\w+)`?(?:\s+(asc|desc))?$/i.exec(orderBy.trim()) ?? [];
  const sign = direction.toLowerCase() === 'desc' ? -1 : 1;
  return [...docs].sort((one, other) => {
    const [a, b] = [foldCase(one[field]), foldCase(other[field])];
    return a < b ? -sign : a > b ? sign : 0;
  });
}

function parseJson(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    throw new FrappeError('ValidationError', 'Expecting value: line 1 column 1 (char 0)');
  }
}
