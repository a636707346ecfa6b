/** How both versions of the directory's API page, sort, filter and cut their lists. */

/** A refusal in the words of the API. */
export class DirectoryRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, unknown>>;
type Row = object;

const defaultLimit = 10;
const highestLimit = 100;

/** @throws DirectoryRefusal */
export function pageOf(query: Query): { limit: number; skip: number } {
  const limit = wholeNumber(query.limit, 'limit', defaultLimit);
  if (limit > highestLimit)
    throw new DirectoryRefusal(
      400,
      `Bad Request: request parameter "limit" exceeds maximum value of ${highestLimit}`,
    );
  return { limit, skip: wholeNumber(query.skip, 'skip', 0) };
}

function wholeNumber(given: unknown, name: string, preset: number): number {
  if (given === undefined || given === '') return preset;
  const number = Number(given);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new DirectoryRefusal(400, `Bad Request: request parameter "${name}" must be a positive integer`);
}

/** Words of a parameter that may be repeated and that holds several, with spaces (v1) or commas (v2) between. */
export const wordsOf = (given: unknown): string[] =>
  [given ?? []]
    .flat()
    .flatMap(text => String(text).split(/[\s,]+/))
    .filter(Boolean);

/** Without `sort` the order is not kept between pages: a row that stood at the end of one begins the next. */
export function pageRows<R extends Row>(rows: readonly R[], query: Query): R[] {
  const { limit, skip } = pageOf(query);
  const [sort] = wordsOf(query.sort);
  if (sort === undefined) return rows.slice(Math.max(0, skip - 1), Math.max(0, skip - 1) + limit);
  return sortRows(rows, sort).slice(skip, skip + limit);
}

function sortRows<R extends Row>(rows: readonly R[], sort: string): R[] {
  const field = sort.replace(/^-/, '');
  const turn = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((one, other) => (textOf(one, field) < textOf(other, field) ? -turn : turn));
}

export function cutFields<R extends Row>(row: R, fields: readonly string[], idField: string): object {
  if (fields.length === 0) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => name === idField || fields.includes(name)),
  );
}

/** `field:op:value` (v2) or `field:$op:value` (v1); several must all hold. */
export function filterRows<R extends Row>(rows: readonly R[], given: unknown): R[] {
  const conditions = [given ?? []].flat().map(text => readCondition(String(text)));
  return rows.filter(row => conditions.every(holds => holds(row)));
}

function readCondition(text: string): (row: Row) => boolean {
  const [, field = '', operator = '', value = ''] = /^(\w+):\$?(\w+):(.*)$/s.exec(text) ?? [];
  const compare = operators[operator];
  if (!compare) throw new DirectoryRefusal(400, 'Bad Request: invalid filter');
  return row => compare(textOf(row, field), value);
}

const operators: Readonly<Record<string, (actual: string, wanted: string) => boolean>> = {
  eq: (actual, wanted) => actual === wanted,
  ne: (actual, wanted) => actual !== wanted,
  gt: (actual, wanted) => actual > wanted,
  ge: (actual, wanted) => actual >= wanted,
  lt: (actual, wanted) => actual < wanted,
  le: (actual, wanted) => actual <= wanted,
  search: (actual, wanted) => actual.toLowerCase().includes(wanted.toLowerCase()),
  in: (actual, wanted) => wanted.split('|').includes(actual),
};

export const textOf = (row: Row, field: string): string => {
  const value = new Map<string, unknown>(Object.entries(row)).get(field) ?? '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
