/** Reads the parts of a PDF that are needed to count its pages and to change its properties. */
import { inflateSync } from 'node:zlib';
import { ServiceError } from '../../../core/runtime/errors.ts';

/** A PDF with one classic cross-reference table at its end, as Skia (Chromium) and most simple writers make it. */
export interface PdfFile {
  bytes: Buffer;
  /** Offset of `xref`; all objects are before it. */
  tableAt: number;
  /** Offset of the table's entries, 20 bytes each (ISO 32000-1, 7.5.4). */
  entriesAt: number;
  /** Number of entries; object numbers are 0 to size - 1. */
  size: number;
  /** Object number of the catalog. */
  root: number;
  /** Object number of the document information, if any. */
  info: number | undefined;
}

/** The PDF is complete or not, but not as described at PdfFile: another version of the browser may write another structure. */
export class PdfStructureError extends Error {
  override readonly name = 'PdfStructureError';
}

/** Names without their slash; values as they are in the file. */
export type PdfDictionary = Map<string, string>;

const entryBytes = 20;
const tailBytes = 2_048;

/** @throws PdfStructureError when the file is not as described at PdfFile */
export function readPdfFile(bytes: Buffer): PdfFile {
  const tail = bytes.toString('latin1', Math.max(0, bytes.length - tailBytes));
  const tableAt = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1] ?? Number.NaN);
  if (!(tableAt < bytes.length))
    throw new PdfStructureError('The PDF does not end with the offset of its cross-reference table.');
  const opening = /^xref\s+0 (\d+)\s*?\r?\n/.exec(bytes.toString('latin1', tableAt, tableAt + 64));
  if (!opening) throw new PdfStructureError('The PDF has no plain cross-reference table at that offset.');
  const size = Number(opening[1]);
  const entriesAt = tableAt + opening[0].length;
  const trailerAt = bytes.indexOf('trailer', entriesAt + size * entryBytes);
  if (trailerAt === -1) throw new PdfStructureError('The PDF has no trailer.');
  const trailer = dictionaryAt(bytes, trailerAt).entries;
  if (trailer.has('Prev')) throw new PdfStructureError('The PDF has more than one cross-reference table.');
  const root = reference(trailer.get('Root'));
  if (root === undefined) throw new PdfStructureError('The PDF names no catalog.');
  return { bytes, tableAt, entriesAt, size, root, info: reference(trailer.get('Info')) };
}

/**
 * Reads the count at the root of the page tree, in microseconds for any size.
 * @throws PdfStructureError when Chromium did not write the PDF
 */
export function countPages(pdf: Buffer): number {
  const file = readPdfFile(pdf);
  const catalog = dictionaryAt(pdf, objectAt(file, file.root)).entries;
  const pages = reference(catalog.get('Pages'));
  if (pages === undefined) throw new PdfStructureError('The PDF has no page tree.');
  const count = dictionaryAt(pdf, objectAt(file, pages)).entries.get('Count');
  if (count === undefined || !/^\d+$/.test(count)) throw new PdfStructureError('The PDF has no page count.');
  return Number(count);
}

/** @throws ServiceError `page-contract-broken` when the number of pages differs from the promised one */
export function checkPages(pdf: Buffer, promised: number): void {
  const pages = countPages(pdf);
  if (pages === promised) return;
  throw new ServiceError(
    'page-contract-broken',
    `The PDF has ${pages} pages where ${promised} were promised; this is a bug in the design, not in the input.`,
  );
}

/** The offset of an object. */
export function objectAt(file: PdfFile, number: number): number {
  const at = file.entriesAt + number * entryBytes;
  const entry = /^(\d{10}) \d{5} n/.exec(file.bytes.toString('latin1', at, at + entryBytes));
  if (number >= file.size || !entry) throw new PdfStructureError(`The PDF has no object ${number}.`);
  return Number(entry[1]);
}

export type PdfObjects = ReturnType<typeof objectsOf>;

/** Fast access to all objects of a file in which one follows the other, as Skia writes them. */
export function objectsOf({ bytes, entriesAt, size, tableAt }: PdfFile) {
  const source = bytes.toString('latin1', 0, tableAt);
  const table = bytes.toString('latin1', entriesAt, entriesAt + size * entryBytes);
  const offsets = new Float64Array(size).fill(Number.NaN);
  for (let number = 0, at = 0; number < size; number++, at += entryBytes)
    if (table[at + 17] === 'n') offsets[number] = Number(table.slice(at, at + 10));
  // Those that are not a number come last.
  const sorted = offsets.toSorted();
  const ends = new Map<number, number>();
  for (const [at, offset] of sorted.entries()) ends.set(offset, sorted[at + 1] || tableAt);
  function range(number: number) {
    const from = offsets[number] ?? Number.NaN;
    const to = ends.get(from);
    if (to === undefined) throw new PdfStructureError(`The PDF has no object ${number}.`);
    return { from, to };
  }
  return {
    bytes: bytes.subarray(0, tableAt),
    /** What is before the first object. */
    header: source.slice(0, sorted[0]),
    has: (number: number) => !Number.isNaN(offsets[number] ?? Number.NaN),
    /** An object without its number, as text up to the data of a stream. */
    split(number: number): { text: string; data: Buffer[] } {
      const { from, to } = range(number);
      const begin = source.indexOf(' obj', from) + ' obj\n'.length;
      const text = source.slice(begin, to);
      const at = text.indexOf('stream\n');
      return at === -1 ? { text, data: [] } : { text: text.slice(0, at), data: [bytes.subarray(begin + at, to)] };
    },
    /** With its number; of a stream, its data, too. */
    text(number: number): string {
      const { from, to } = range(number);
      return source.slice(from, to);
    },
    /** The decompressed data of a stream, in Latin-1. */
    stream(number: number): string {
      const { from, to } = range(number);
      const { entries: header, end } = dictionaryAt(bytes, from);
      const dataAt = bytes.indexOf('stream\n', end) + 'stream\n'.length;
      const data = bytes.subarray(dataAt, dataAt + Number(header.get('Length')));
      if (!(dataAt < to)) throw new PdfStructureError(`Object ${number} is no stream.`);
      return (header.get('Filter') === '/FlateDecode' ? inflateSync(data) : data).toString('latin1');
    },
  };
}

/** The number in "12 0 R". */
export function reference(value: string | undefined): number | undefined {
  const number = /^(\d+) \d+ R$/.exec(value ?? '')?.[1];
  return number === undefined ? undefined : Number(number);
}

/** Bytes of most dictionaries, read at a time. */
const windowBytes = 512;

/** The first dictionary at or after an offset, with its start and end. */
export function dictionaryAt(bytes: Buffer, from: number) {
  const start = bytes.indexOf('<<', from);
  if (start === -1) throw new PdfStructureError('The PDF has no dictionary where one is expected.');
  for (let length = windowBytes; ; length *= 8) {
    const read = readDictionary(bytes.toString('latin1', start, start + length));
    if (read) return { entries: read.entries, start, end: start + read.length };
    if (start + length >= bytes.length) throw new PdfStructureError('A dictionary of the PDF has no end.');
  }
}

/** @returns undefined when the text ends before the dictionary */
function readDictionary(text: string) {
  const entries: PdfDictionary = new Map();
  let at = skipSpace(text, 2);
  while (!text.startsWith('>>', at)) {
    const nameEnd = tokenEnd(text, at);
    const valueAt = skipSpace(text, nameEnd);
    const valueEnd = valueEndAt(text, valueAt);
    if (valueEnd === undefined) return undefined;
    entries.set(text.slice(at + 1, nameEnd), text.slice(valueAt, valueEnd));
    at = skipSpace(text, valueEnd);
  }
  return { entries, length: at + 2 };
}

/** Writes text beyond printable ASCII as UTF-16 (ISO 32000-1, 7.9.2.2). */
export function textString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replaceAll(/[\\()]/g, '\\$&')})`;
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;
}

export const dictionaryText = (entries: PdfDictionary): string =>
  `<<${[...entries].map(([name, value]) => `/${name} ${value}`).join('\n')}>>`;

/** A value ends before the next name or the end of its dictionary, so that references and nested values stay complete. */
function valueEndAt(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  let end = from;
  while (at < text.length) {
    const one = text[at];
    const isClosing = text.startsWith('>>', at);
    if (depth === 0 && at > from && (isClosing || one === '/')) return end;
    if (one === '[' || text.startsWith('<<', at)) depth++;
    else if (isClosing || one === ']') depth--;
    end = tokenEnd(text, at);
    at = skipSpace(text, end);
  }
  return undefined;
}

const token = /<<|>>|[[\]]|<[^>]*>?|[\s\S][^\s()<>[\]{}/%\0]*/y;
const space = /[\s\0]*/y;

/** At most the end of the text. */
function tokenEnd(text: string, at: number): number {
  return text[at] === '(' ? stringEnd(text, at) : endOf(token, text, at);
}

const skipSpace = (text: string, from: number): number => endOf(space, text, from);

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : text.length;
}

/** Parentheses nest, and a backslash escapes the next character (ISO 32000-1, 7.3.4.2). */
function stringEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}
