/** Frappe's list queries: `fields` and `filters` as JSON, `order_by`, and pages of twenty unless told otherwise. */
import { z } from 'zod';
import type { Doc, Doctype } from './doctypes.ts';
import { FrappeError } from './frappe-error.ts';

const Value = z.union([
  z.string(),
  z.number(),
  z.null(),
  z.boolean(),
  z.array(z.union([z.string(), z.number()])),
]);
type Value = z.infer<typeof Value>;
const Condition = z.union([
  z.tuple([z.string(), z.string(), Value]),
  z.tuple([z.string(), z.string(), z.string(), Value]),
]);
const Filters = z.union([
  z.array(Condition),
  z.record(z.string(), z.union([z.tuple([z.string(), Value]), Value])),
]);

type Query = Readonly<Record<string, unknown>>;

const defaultPage = 20;

export function listDocs(docs: readonly Doc[], doctype: Doctype, query: Query): object[] {
  const fields = readFields(query.fields, doctype);
  const start = Number(query.limit_start ?? 0);
  const length = Number(query.limit_page_length ?? query.limit ?? defaultPage);
  const found = ordered(filterDocs(docs, doctype, query), String(query.order_by ?? 'modified desc'));
  return (length === 0 ? found.slice(start) : found.slice(start, start + length)).map(doc =>
    Object.fromEntries(fields.map(field => [field, doc[field] ?? null])),
  );
}

/** Those that all of `filters` and any of `or_filters` hold for. */
export function filterDocs(docs: readonly Doc[], doctype: Doctype, query: Query): Doc[] {
  const all = readConditions(query.filters, doctype);
  const any = readConditions(query.or_filters, doctype);
  return docs.filter(
    doc => all.every(holds => holds(doc)) && (any.length === 0 || any.some(holds => holds(doc))),
  );
}

function readFields(given: unknown, doctype: Doctype): string[] {
  if (given === undefined) return ['name'];
  const fields = z.array(z.string()).safeParse(parseJson(given)).data ?? [];
  return fields.flatMap(field => {
    if (field === '*') return Object.keys(doctype.fields);
    return known(field.replaceAll('`', ''), doctype);
  });
}

function readConditions(given: unknown, doctype: Doctype): ((doc: Doc) => boolean)[] {
  if (given === undefined || given === '') return [];
  const filters = Filters.safeParse(parseJson(given));
  if (!filters.success) throw new FrappeError('ValidationError', 'Invalid filter');
  const conditions = Array.isArray(filters.data)
    ? filters.data.map(condition => condition.slice(-3))
    : Object.entries(filters.data).map(([field, told]) =>
        Array.isArray(told) && told.length === 2 ? [field, ...told] : [field, '=', told],
      );
  return conditions.map(([field, operator, value]) => {
    const name = known(String(field), doctype);
    const compare = operators[String(operator).toLowerCase()];
    if (!compare)
      throw new FrappeError(
        'ValidationError',
        `Operator must be one of ${Object.keys(operators).join(', ')}`,
      );
    return doc => compare(doc[name] ?? null, Value.parse(value));
  });
}

function known(field: string, doctype: Doctype): string {
  if (field in doctype.fields) return field;
  throw new FrappeError('DataError', `Field not permitted in query: ${field}`);
}

type Field = Doc[string] | null;
/** MariaDB's usual collation takes letters of either case for the same. */
const folded = (value: unknown): string => String(value ?? '').toLowerCase();
const isLike = (field: Field, pattern: Value): boolean =>
  new RegExp(
    `^${folded(pattern)
      .replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')
      .replaceAll('%', '.*')}$`,
    's',
  ).test(folded(field));
const isIn = (field: Field, list: Value): boolean =>
  (Array.isArray(list) ? list : String(list).split(',')).some(value => folded(value) === folded(field));
const isSet = (field: Field): boolean => field !== null && field !== '';

const operators: Readonly<Record<string, (field: Field, value: Value) => boolean>> = {
  '=': (field, value) => folded(field) === folded(value),
  '!=': (field, value) => folded(field) !== folded(value),
  '>': (field, value) => folded(field) > folded(value),
  '>=': (field, value) => folded(field) >= folded(value),
  '<': (field, value) => isSet(field) && folded(field) < folded(value),
  '<=': (field, value) => isSet(field) && folded(field) <= folded(value),
  like: isLike,
  'not like': (field, value) => !isLike(field, value),
  in: isIn,
  'not in': (field, value) => !isIn(field, value),
  between: (field, value) =>
    Array.isArray(value) && folded(field) >= folded(value[0]) && folded(field) <= folded(value[1]),
  is: (field, value) => isSet(field) === (value === 'set'),
};

function ordered(docs: readonly Doc[], orderBy: string): Doc[] {
  const [, field = 'modified', direction = 'asc'] =
    /^[`\w.\s]*?`?(\w+)`?(?:\s+(asc|desc))?$/i.exec(orderBy.trim()) ?? [];
  const turn = direction.toLowerCase() === 'desc' ? -1 : 1;
  return [...docs].sort((one, other) => {
    const [a, b] = [folded(one[field]), folded(other[field])];
    return a < b ? -turn : a > b ? turn : 0;
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
