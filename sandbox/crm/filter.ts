/** Filters of list methods: a prefix of the field name selects the comparison. */
import type { Field, FieldType, Row, RowValue } from './fields.ts';
import { isMap, type Parameters } from './parameters.ts';

export type Condition = (row: Row) => boolean;

export interface FilterDialect {
  findField(name: string): Field | undefined;
  /** Handles an unknown field: legacy methods ignore it, `crm.item.list` rejects it. */
  unknown(name: string): Condition;
  /** `crm.item.list` supports `!%` and nested conditions, and accepts only 1 and 0 for booleans. */
  isItemList: boolean;
}

const prefixed = /^(!=%|!%|!@|!=|>=|<=|=%|%=|>|<|@|%|=|!)?(.+)$/s;

export function conditionOf(filter: Parameters, dialect: FilterDialect): Condition {
  const { logic, ...rest } = filter;
  const conditions = Object.entries(rest).map(([key, value]) => {
    if (dialect.isItemList && /^\d+$/.test(key) && isMap(value)) return conditionOf(value, dialect);
    const [, prefix = '', name = ''] = prefixed.exec(key) ?? [];
    const field = dialect.findField(name);
    return field ? comparison(field, prefix, value, dialect) : dialect.unknown(name);
  });
  const isEither = dialect.isItemList && String(logic).toUpperCase() === 'OR';
  return row => (isEither ? conditions.some(holds => holds(row)) : conditions.every(holds => holds(row)));
}

function comparison(field: Field, prefix: string, wanted: unknown, dialect: FilterDialect): Condition {
  const isNegated = prefix.startsWith('!');
  const bare = isNegated ? prefix.slice(1) : prefix;
  const holds = positiveTest(field, bare, wanted, dialect);
  return isNegated ? row => !holds(row[field.name]) : row => holds(row[field.name]);
}

type Test = (value: RowValue | undefined) => boolean;

function positiveTest(field: Field, prefix: string, wanted: unknown, { isItemList }: FilterDialect): Test {
  const comparable = comparableOf(field.type);
  if (['>', '>=', '<', '<='].includes(prefix)) {
    const limit = comparable(wanted);
    return value => value !== null && value !== undefined && isOrdered(prefix, comparable(value), limit);
  }
  if (prefix.includes('%')) return like(prefix, String(wanted));
  if (field.type === 'crm_multifield') return value => hasMultifield(value, listOf(wanted));
  if (field.type === 'boolean') {
    const accepted = listOf(wanted).map(given =>
      isItemList ? strictBoolean(given) : ['1', 'Y', 'true'].includes(String(given)),
    );
    return value => accepted.includes(Boolean(value));
  }
  const accepted = new Set(listOf(wanted).map(given => (isEmpty(given) ? '' : String(comparable(given)))));
  return value =>
    Array.isArray(value)
      ? value.some(entry => accepted.has(String(entry)))
      : accepted.has(isEmpty(value) ? '' : String(comparable(value)));
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '' || value === false;
const listOf = (wanted: unknown): unknown[] =>
  Array.isArray(wanted) ? wanted : isMap(wanted) ? Object.values(wanted) : [wanted];

/** `crm.item.list` compares custom booleans with 1 and 0; Y and N match no row. */
function strictBoolean(given: unknown): boolean | undefined {
  if (['1', 'true'].includes(String(given))) return true;
  return ['0', 'false', ''].includes(String(given)) ? false : undefined;
}

function comparableOf(type: FieldType): (value: unknown) => number | string {
  if (type === 'integer' || type === 'double' || type === 'money') return Number;
  // A date without time means the start of that day in the server's time zone.
  if (type === 'datetime')
    return value => Date.parse(/^\d{4}-\d\d-\d\d$/.test(String(value)) ? `${value}T00:00:00+03:00` : String(value));
  return String;
}

function isOrdered(prefix: string, value: number | string, limit: number | string): boolean {
  if (prefix === '>') return value > limit;
  if (prefix === '>=') return value >= limit;
  return prefix === '<' ? value < limit : value <= limit;
}

/** `%` matches the text anywhere; with `=%` and `%=` the text contains its own `%` wildcards. */
function like(prefix: string, wanted: string): Test {
  const pattern = prefix === '%' ? `%${wanted}%` : wanted;
  const source = pattern
    .split('%')
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  const expression = new RegExp(`^${source}$`, 'isu');
  return value => typeof value === 'string' && expression.test(value);
}

function hasMultifield(value: RowValue | undefined, wanted: unknown[]): boolean {
  const texts = wanted.map(String);
  return Array.isArray(value) && value.some(entry => isMap(entry) && texts.includes(String(entry.VALUE)));
}
