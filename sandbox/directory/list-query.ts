/** Paging, sorting, filtering and field selection of lists in both API versions. */

/** An error with the API's status and message. */
export class DirectoryError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Query = Readonly<Record<string, unknown>>;
type Row = object;

const defaultLimit = 10;
const maxLimit = 100;

interface Page {
  limit: number;
  skip: number;
}

/** @throws DirectoryError */
export function pageOf(query: Query): Page {
  const limit = wholeNumber(query.limit, 'limit', defaultLimit);
  if (limit > maxLimit)
    throw new DirectoryError(400, `Bad Request: request parameter "limit" exceeds maximum value of ${maxLimit}`);
  return { limit, skip: wholeNumber(query.skip, 'skip', 0) };
}

function wholeNumber(given: unknown, name: string, fallback: number): number {
  if (given === undefined || given === '') return fallback;
  const number = Number(given);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new DirectoryError(400, `Bad Request: request parameter "${name}" must be a positive integer`);
}

/** Values of a parameter that may be repeated; one parameter separates values with spaces (v1) or commas (v2). */
export const wordsOf = (given: unknown): string[] =>
  [given ?? []]
    .flat()
    .flatMap(text => String(text).split(/[\s,]+/))
    .filter(Boolean);

export type Pager = ReturnType<typeof createPager>;

/** Cuts lists into pages, with the faults of the settings. */
export function createPager(settings: Readonly<{ shortPages: number; deletedRows: number }>) {
  let deleted = 0;

  /** @param remove deletes a row from the collection that the list shows */
  function cutPage<R>(rows: readonly R[], { limit, skip }: Page, remove: (row: R) => void): R[] {
    const page = rows.slice(skip, skip + Math.max(1, limit - settings.shortPages));
    const [first] = page;
    if (first !== undefined && skip + page.length < rows.length && deleted < settings.deletedRows) {
      deleted += 1;
      remove(first);
    }
    return page;
  }

  return {
    cutPage,
    /** Without `sort` the order is unstable: the last row of a page appears again at the start of the next. */
    pageRows<R extends Row>(rows: readonly R[], query: Query, remove: (row: R) => void): R[] {
      const { limit, skip } = pageOf(query);
      const [sort] = wordsOf(query.sort);
      return sort === undefined
        ? cutPage(rows, { limit, skip: Math.max(0, skip - 1) }, remove)
        : cutPage(sortRows(rows, sort), { limit, skip }, remove);
    },
    reset: () => {
      deleted = 0;
    },
  };
}

function sortRows<R extends Row>(rows: readonly R[], sort: string): R[] {
  const field = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  return [...rows].sort((one, other) => (textOf(one, field) < textOf(other, field) ? -sign : sign));
}

export function selectFields<R extends Row>(row: R, fields: readonly string[], idField: string): object {
  if (fields.length === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => name === idField || fields.includes(name)));
}

/** `field:op:value` (v2) or `field:$op:value` (v1); all conditions must match. */
export function filterRows<R extends Row>(rows: readonly R[], given: unknown): R[] {
  const conditions = [given ?? []].flat().map(text => parseCondition(String(text)));
  return rows.filter(row => conditions.every(holds => holds(row)));
}

function parseCondition(text: string): (row: Row) => boolean {
  const [, field = '', operator = '', value = ''] = /^(\w+):\$?(\w+):(.*)$/s.exec(text) ?? [];
  const compare = operators[operator];
  if (!compare) throw new DirectoryError(400, 'Bad Request: invalid filter');
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
