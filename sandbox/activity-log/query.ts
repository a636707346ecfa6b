/** The supported part of the query language; anything else gets the store's error for an unknown query. */
import { type IndexedEntry, indexed, isObject, kindOf, type Value } from './fields.ts';
import { badQuery } from './search-error.ts';

type Matches = (entry: IndexedEntry) => boolean;

export function compileQuery(query: unknown): Matches {
  if (query === undefined) return () => true;
  const [name, body] = onlyMember(query, 'query');
  const compile = clauses[name];
  if (!compile) throw badQuery(`unknown query [${name}]`);
  return compile(body);
}

const clauses: Readonly<Record<string, (body: unknown) => Matches>> = {
  match_all: () => () => true,
  bool: compileBool,
  exists(body) {
    const field = isObject(body) ? String(body.field) : '';
    return entry => indexed(entry, field).length > 0;
  },
  term(body) {
    const [field, given] = onlyMember(body, 'term');
    const value = isObject(given) ? given.value : given;
    const ignoresCase = isObject(given) && given.case_insensitive === true;
    const form = (one: Value) => (ignoresCase ? String(one).toLowerCase() : String(one));
    const wanted = form(asValue(field, value));
    return entry => indexed(entry, field).some(one => form(one) === wanted);
  },
  terms(body) {
    const [field, given] = onlyMember(body, 'terms');
    if (!Array.isArray(given)) throw badQuery('[terms] query requires an array of terms');
    const values = new Set(given.map(one => String(asValue(field, one))));
    return entry => indexed(entry, field).some(one => values.has(String(one)));
  },
  range(body) {
    const [field, given] = onlyMember(body, 'range');
    if (!isObject(given)) throw badQuery('[range] query malformed');
    const bounds = Object.entries(given).map(([word, bound]) => {
      const holds = comparisons[word];
      if (!holds) throw badQuery(`[range] query does not support [${word}]`);
      const limit = asValue(field, bound);
      return (value: Value) => holds(value, limit);
    });
    return entry => indexed(entry, field).some(value => bounds.every(holds => holds(value)));
  },
};

const comparisons: Readonly<Record<string, (value: Value, bound: Value) => boolean>> = {
  gte: (value, bound) => value >= bound,
  gt: (value, bound) => value > bound,
  lte: (value, bound) => value <= bound,
  lt: (value, bound) => value < bound,
};

function compileBool(body: unknown): Matches {
  if (!isObject(body)) throw badQuery('[bool] query malformed');
  const part = (word: string): Matches[] => (body[word] === undefined ? [] : [body[word]].flat().map(compileQuery));
  const [all, none, some] = [[...part('must'), ...part('filter')], part('must_not'), part('should')];
  // Without `must` and `filter`, at least one `should` clause must match.
  const minimum = Number(body.minimum_should_match ?? (all.length === 0 && some.length > 0 ? 1 : 0));
  return entry =>
    all.every(matches => matches(entry)) &&
    !none.some(matches => matches(entry)) &&
    some.filter(matches => matches(entry)).length >= minimum;
}

function asValue(field: string, given: unknown): Value {
  if (typeof given !== 'string' && typeof given !== 'number') throw badQuery(`[${field}] needs a value`);
  if (kindOf(field) !== 'date') return given;
  const moment = typeof given === 'number' ? given : Date.parse(given);
  if (Number.isNaN(moment)) throw badQuery(`failed to parse date field [${given}]`);
  return moment;
}

function onlyMember(value: unknown, where: string): [string, unknown] {
  const [member, ...more] = isObject(value) ? Object.entries(value) : [];
  if (!member || more.length > 0) throw badQuery(`[${where}] malformed, expected one field`);
  return member;
}
