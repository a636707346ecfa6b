/**
 * Reads a long list of the CRM in as few requests as it takes: 50 pages of 50 rows in one batch, each page beginning
 * after the last row of the one before it. Read to the end means as many rows as the CRM counted.
 */
import { z } from 'zod';
import { UpstreamError } from '../kit/upstream-error.ts';
import { type Command, type CommandOutcome, type CrmRest, commandsABatch } from './rest.ts';
import type { Parameters } from './wire/envelope.ts';
import { Id } from './wire/scalars.ts';

export interface CrmList<R extends z.ZodType> {
  /** For sentences, such as `deals`. */
  title: string;
  method: string;
  /** Besides filter, order and select. */
  parameters?: Parameters;
  filter: Parameters;
  select: readonly string[];
  /** Newer methods write it small. */
  idField: 'ID' | 'id';
  /** Newer methods put the rows into a member of the result. */
  rowsIn?: 'items';
  row: R;
}

export interface ReadPosition {
  /** Rows up to this id were read before; 0: none. */
  after: number;
  /** Rows read so far. */
  read: number;
  /** Rows the CRM counted when the reading began; undefined before the first answer. */
  total: number | undefined;
}

export interface ReadOptions {
  /** Only rows that were changed at this time or later. */
  changedSince?: Date | undefined;
  /** Where an earlier reading got to. */
  from?: ReadPosition | undefined;
  /** How many rows there will probably be, so that no pages are asked for in vain. */
  expected?: number | undefined;
}

export interface Chunk<Row> {
  rows: Row[];
  /** Rows that cannot be understood, by their ids. */
  unreadable: { id: number; reason: string }[];
  position: ReadPosition & { total: number };
}

const pageRows = 50;
const start: ReadPosition = { after: 0, read: 0, total: undefined };

/** @throws UpstreamError when the CRM gives other rows than it promised; the rows given before are whole */
export async function* readList<R extends z.ZodType>(
  rest: CrmRest,
  list: CrmList<R>,
  { from = start, expected }: Omit<ReadOptions, 'changedSince'>,
): AsyncGenerator<Chunk<z.output<R>>> {
  let { after, read, total } = from;
  while (total === undefined || read < total) {
    const rowsLeft = (total ?? expected ?? commandsABatch * pageRows) - read;
    const pages = Math.min(commandsABatch, Math.max(1, Math.ceil(rowsLeft / pageRows)));
    const outcomes = await rest.batch('read', chainOf(list, after, pages, total === undefined));
    total ??= totalOf(list, outcomes[0]);
    const rows = rowsOf(list, outcomes, after);
    if (rows.length === 0 && read < total) throw cutShort(list, read, total);
    after = rows.at(-1)?.id ?? after;
    read += rows.length;
    if (rows.length > 0) yield { ...parseRows(list, rows), position: { after, read, total } };
  }
}

/** The first page of a reading is counted, which costs the CRM more. */
function chainOf(list: CrmList<z.ZodType>, after: number, pages: number, counted: boolean): Command[] {
  const inResult = list.rowsIn ? `[${list.rowsIn}]` : '';
  return Array.from({ length: pages }, (_, page) => ({
    key: `page${page}`,
    method: list.method,
    refersBack: true,
    parameters: {
      ...list.parameters,
      select: list.select,
      order: { [list.idField]: 'ASC' },
      filter: {
        ...list.filter,
        [`>${list.idField}`]:
          page === 0 ? after : `$result[page${page - 1}]${inResult}[${pageRows - 1}][${list.idField}]`,
      },
      start: counted && page === 0 ? 0 : -1,
    },
  }));
}

function totalOf(list: CrmList<z.ZodType>, first: CommandOutcome | undefined): number {
  if (first && 'error' in first) throw pageFailed(list, first.error);
  if (first?.total === undefined) throw notUnderstood(list, 'no total');
  return first.total;
}

interface FoundRow {
  id: number;
  raw: unknown;
}

/** What lies behind a page that is not full refers to a row that is not there: whatever it holds does not count. */
function rowsOf(list: CrmList<z.ZodType>, outcomes: readonly CommandOutcome[], after: number): FoundRow[] {
  const rows: FoundRow[] = [];
  for (const outcome of outcomes) {
    if ('error' in outcome) {
      if (rows.length > 0) break;
      throw pageFailed(list, outcome.error);
    }
    const page = pageOf(list, outcome.result);
    const last = rows.at(-1)?.id ?? after;
    if (page.some(({ id }, index) => id <= (page[index - 1]?.id ?? last))) throw notInOrder(list);
    rows.push(...page);
    if (page.length < pageRows) break;
  }
  return rows;
}

function pageOf(list: CrmList<z.ZodType>, result: unknown): FoundRow[] {
  const rows = list.rowsIn
    ? z.object({ [list.rowsIn]: z.unknown() }).safeParse(result).data?.[list.rowsIn]
    : result;
  const parsed = z.array(z.looseObject({ [list.idField]: Id })).safeParse(rows);
  if (!parsed.success) throw notUnderstood(list, 'a page without rows');
  return parsed.data.map(raw => ({ id: Number(raw[list.idField]), raw }));
}

function parseRows<R extends z.ZodType>(list: CrmList<R>, found: readonly FoundRow[]) {
  const rows: z.output<R>[] = [];
  const unreadable: { id: number; reason: string }[] = [];
  for (const { id, raw } of found) {
    const parsed = list.row.safeParse(raw);
    if (parsed.success) rows.push(parsed.data);
    // The places only: values may be a person's.
    else unreadable.push({ id, reason: `cannot be understood: ${placesOf(parsed.error)}` });
  }
  return { rows, unreadable };
}

const placesOf = (error: z.ZodError): string =>
  [...new Set(error.issues.map(issue => issue.path.join('.')))].join(', ');

const failure = { system: 'crm', passing: true, mayHaveRun: false };
/** The rows read so far are no use: which ones are missing is not known. */
const incomplete = { ...failure, code: 'incomplete' };

const cutShort = ({ title }: CrmList<z.ZodType>, read: number, total: number): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `The CRM promised ${total} ${title} and gave ${read}; they were not read to their end.`,
    incomplete,
  );

const notInOrder = ({ title }: CrmList<z.ZodType>): UpstreamError =>
  new UpstreamError('upstream-failed', `The CRM gave a page of ${title} twice, or out of order.`, incomplete);

const pageFailed = (
  { title }: CrmList<z.ZodType>,
  { code, message }: { code: string; message: string },
): UpstreamError =>
  new UpstreamError('upstream-failed', `The CRM failed to give a page of ${title}.`, {
    ...failure,
    code,
    message,
  });

const notUnderstood = ({ title }: CrmList<z.ZodType>, message: string): UpstreamError =>
  new UpstreamError('upstream-failed', `The CRM gave ${title} in a way we do not understand.`, {
    ...failure,
    passing: false,
    message,
  });
