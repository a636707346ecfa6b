/**
 * Reads a long list of the CRM with few requests: 50 pages of 50 rows in one batch, each page beginning after the last row
 * of the one before it. The list is complete when as many rows arrived as the CRM counted.
 */
import { z } from 'zod';
import { goodRows, readRow, reasonText } from '../kit/read-rows.ts';
import { incompleteList, UpstreamError } from '../kit/upstream-error.ts';
import { commandRejected } from './rejection.ts';
import { type Command, type CommandOutcome, type CrmRest, maxBatchCommands } from './rest.ts';
import type { Parameters } from './wire/envelope.ts';
import { Id } from './wire/scalars.ts';

export interface CrmList<R extends z.ZodType> {
  /** For sentences, such as `deals`. */
  title: string;
  /** One row, such as `deal`. */
  record: string;
  /** The parameters of `crm.item.list`, without filter, order and select. */
  parameters: { entityTypeId: number };
  filter: Parameters;
  select: readonly string[];
  row: R;
}

export interface ListCursor {
  /** Id of the last row read; 0: none. */
  after: number;
  /** Rows read so far. */
  read: number;
  /** Rows that the CRM counted at the start; undefined before the first answer. */
  total: number | undefined;
}

export interface ReadOptions {
  /** Only rows changed at this time or later. */
  changedSince?: Date | undefined;
  /** Where an earlier read stopped. */
  from?: ListCursor | undefined;
  /** Probable number of rows, which avoids requests for empty pages. */
  expected?: number | undefined;
}

export interface Chunk<Row> {
  rows: Row[];
  /** Rows in an unexpected form. */
  unreadable: { id: number; reason: string }[];
  position: ListCursor & { total: number };
}

const pageRows = 50;
const crm = { name: 'crm', title: 'The CRM' };
const start: ListCursor = { after: 0, read: 0, total: undefined };

/** @throws UpstreamError when rows are missing or out of order; the rows of the chunks before are correct */
export async function* readList<R extends z.ZodType>(
  rest: CrmRest,
  list: CrmList<R>,
  { from = start, expected }: Omit<ReadOptions, 'changedSince'>,
): AsyncGenerator<Chunk<z.output<R>>> {
  let { after, read, total } = from;
  while (total === undefined || read < total) {
    const rowsLeft = (total ?? expected ?? maxBatchCommands * pageRows) - read;
    const pages = Math.min(maxBatchCommands, Math.max(1, Math.ceil(rowsLeft / pageRows)));
    const outcomes = await rest.batch('read', chainOf(list, after, pages, total === undefined));
    total ??= totalOf(list, outcomes[0]);
    const rows = rowsOf(list, outcomes, after);
    if (rows.length === 0 && read < total) throw incompleteList(crm, list.title, { expected: total, received: read });
    after = rows.at(-1)?.id ?? after;
    read += rows.length;
    if (rows.length > 0) yield { ...parseRows(list, rows), position: { after, read, total } };
  }
}

/** @param counted whether the CRM counts all rows with the first page, which takes it longer */
function chainOf(list: CrmList<z.ZodType>, after: number, pages: number, counted: boolean): Command[] {
  return Array.from({ length: pages }, (_, page) => ({
    key: `page${page}`,
    method: 'crm.item.list',
    refersBack: true,
    parameters: {
      ...list.parameters,
      select: list.select,
      order: { id: 'ASC' },
      filter: {
        ...list.filter,
        '>id': page === 0 ? after : `$result[page${page - 1}][items][${pageRows - 1}][id]`,
      },
      start: counted && page === 0 ? 0 : -1,
    },
  }));
}

function totalOf(list: CrmList<z.ZodType>, first: CommandOutcome | undefined): number {
  if (first && 'failure' in first) throw first.failure;
  if (first && 'error' in first) throw commandRejected(`rejected the read of ${list.title}`, first.error);
  if (first?.total === undefined) throw unexpectedForm(list, 'no total');
  return first.total;
}

const Page = z.object({ items: z.array(z.looseObject({ id: Id })) });

interface FoundRow {
  id: number;
  raw: unknown;
}

/** Ignores the pages after one that is not full: they refer to a row that does not exist. */
function rowsOf(list: CrmList<z.ZodType>, outcomes: readonly CommandOutcome[], after: number): FoundRow[] {
  const rows: FoundRow[] = [];
  for (const outcome of outcomes) {
    if ('failure' in outcome || 'error' in outcome) {
      if (rows.length > 0) break;
      throw 'failure' in outcome
        ? outcome.failure
        : commandRejected(`rejected the read of ${list.title}`, outcome.error);
    }
    const page = pageOf(list, outcome.result);
    const last = rows.at(-1)?.id ?? after;
    if (page.some(({ id }, index) => id <= (page[index - 1]?.id ?? last))) throw unordered(list);
    rows.push(...page);
    if (page.length < pageRows) break;
  }
  return rows;
}

function pageOf(list: CrmList<z.ZodType>, result: unknown): FoundRow[] {
  const parsed = Page.safeParse(result);
  if (!parsed.success) throw unexpectedForm(list, 'a page without rows');
  return parsed.data.items.map(raw => ({ id: raw.id, raw }));
}

function parseRows<R extends z.ZodType>(list: CrmList<R>, found: readonly FoundRow[]) {
  const kind = { system: crm, record: list.record, id: 'id' };
  const rows: z.output<R>[] = [];
  const unreadable: { id: number; reason: string }[] = [];
  for (const [index, { id, raw }] of found.entries()) {
    const read = readRow(kind, list.row, raw, index);
    rows.push(...goodRows([read]));
    if ('bad' in read) unreadable.push({ id, reason: reasonText(read.bad) });
  }
  return { rows, unreadable };
}

/** Which rows are missing is unknown, therefore all rows read so far are discarded. */
const unordered = ({ title }: CrmList<z.ZodType>): UpstreamError =>
  new UpstreamError('upstream-failed', `The CRM returned a page of ${title} twice or out of order.`, {
    kind: 'incomplete',
    system: crm.name,
    code: 'incomplete',
  });

const unexpectedForm = ({ title }: CrmList<z.ZodType>, message: string): UpstreamError =>
  commandRejected(`returned ${title} in an unexpected form`, { message });
