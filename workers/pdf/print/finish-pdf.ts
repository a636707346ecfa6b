/** Gives a printed PDF its properties, and the same bytes for the same input: nothing of it tells when it was printed. */
import { createHash } from 'node:crypto';
import { renumberHeaderCells } from './header-cell-names.ts';
import {
  dictionaryAt,
  dictionaryText,
  entryBytes,
  objectAt,
  type PdfDictionary,
  type PdfFile,
  readPdfFile,
} from './pdf-file.ts';
import { putInInlays } from './put-in-inlays.ts';
import type { Inlay } from './stand-ins.ts';
import { xmpPacket } from './xmp-packet.ts';

export interface PdfProperties {
  title: string;
  author: string;
  subject: string;
  /** The program the document was made with. */
  creator: string;
  /** BCP 47, such as "en". */
  language: string;
  /** What the document was made of, in any text that differs when the input does; the file's identifier is made of it. */
  fingerprint: string;
}

/**
 * Sets title, author, subject, creator, language and XMP metadata. The dates Chromium wrote are taken out: an honest
 * one would make two prints of one input differ, an invented one would be false; both are optional (ISO 32000-1, 14.3.3).
 * Objects keep their order and only the table at the end is written anew: photos are not copied.
 * @param pdf is changed in place
 * @param inlays by hash: they take the places of their stand-ins
 * @returns the parts that the finished file consists of, in order
 * @throws Error when the file is not a PDF as Chromium writes it, or a photo's stand-in is not in it
 */
export function finishPdf(
  pdf: Buffer,
  properties: PdfProperties,
  inlays: ReadonlyMap<string, Inlay> = new Map(),
): Buffer[] {
  const file = readPdfFile(pdf);
  const objects = newObjects(file, properties);
  const printed = pdf.subarray(0, file.tableAt);
  for (const number of objects.written.keys())
    if (number < file.size) blankObject(printed, objectAt(file, number));
  renumberHeaderCells(printed);
  const body = putInInlays(printed, inlays);
  const places = placesAfter(body.bytes, objects.written);
  const tableAt = body.bytes + objects.bytes;
  const end = Buffer.concat([
    ...objects.written.values(),
    crossReferences(file, body.moved, places),
    trailer(file, objects.info, objects.size, tableAt, properties),
  ]);
  return [...body.parts, end];
}

/** Where each object is when they follow one another from a place on. */
function placesAfter(at: number, objects: ReadonlyMap<number, Buffer>): Map<number, number> {
  const places = new Map<number, number>();
  let next = at;
  for (const [number, object] of objects) {
    places.set(number, next);
    next += object.length;
  }
  return places;
}

/** The objects that differ from the print: each under its old number, or under a new one at the end. */
function newObjects(file: PdfFile, properties: PdfProperties) {
  const catalog = dictionaryAt(file.bytes, objectAt(file, file.root)).entries;
  const printedInfo =
    file.info === undefined ? undefined : dictionaryAt(file.bytes, objectAt(file, file.info)).entries;
  const metadata = file.size;
  const info = file.info ?? file.size + 1;
  const bodies: [number, Buffer][] = [
    [info, infoDictionary(properties, printedInfo?.get('Producer') ?? textString('Chromium'))],
    [file.root, catalogDictionary(catalog, properties, metadata)],
    [metadata, metadataStream(properties)],
  ];
  const written = new Map(
    bodies.map(([number, body]) => [
      number,
      Buffer.concat([Buffer.from(`${number} 0 obj\n`), body, Buffer.from('\nendobj\n')]),
    ]),
  );
  const bytes = [...written.values()].reduce((sum, { length }) => sum + length, 0);
  return { written, bytes, info, size: Math.max(metadata, info) + 1 };
}

function metadataStream(properties: PdfProperties): Buffer {
  const packet = Buffer.from(xmpPacket(properties));
  return Buffer.concat([
    Buffer.from(`<</Type /Metadata\n/Subtype /XML\n/Length ${packet.length}>> stream\n`),
    packet,
    Buffer.from('\nendstream'),
  ]);
}

function infoDictionary(properties: PdfProperties, producer: string): Buffer {
  return dictionary(
    new Map([
      ['Title', textString(properties.title)],
      ['Author', textString(properties.author)],
      ['Subject', textString(properties.subject)],
      ['Creator', textString(properties.creator)],
      ['Producer', producer],
    ]),
  );
}

function catalogDictionary(printed: PdfDictionary, properties: PdfProperties, metadata: number): Buffer {
  return dictionary(
    new Map([
      ...printed,
      ['Lang', textString(properties.language)],
      ['ViewerPreferences', '<</DisplayDocTitle true>>'],
      ['Metadata', `${metadata} 0 R`],
    ]),
  );
}

const dictionary = (entries: PdfDictionary): Buffer => Buffer.from(dictionaryText(entries), 'latin1');

/** Text outside printable ASCII is written as UTF-16 (ISO 32000-1, 7.9.2.2). */
function textString(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return `(${text.replaceAll(/[\\()]/g, '\\$&')})`;
  return `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;
}

/** The printed table with the new places; entries are 20 bytes each (ISO 32000-1, 7.5.4). */
function crossReferences(
  file: PdfFile,
  moved: (at: number) => number,
  places: ReadonlyMap<number, number>,
): Buffer {
  const size = Math.max(file.size, ...[...places.keys()].map(number => number + 1));
  const entries = Buffer.alloc(size * entryBytes);
  file.bytes.copy(entries, 0, file.entriesAt, file.entriesAt + file.size * entryBytes);
  for (let number = 0; number < size; number++) {
    const at = places.get(number) ?? movedEntry(entries, number, moved);
    if (at !== undefined) entries.write(entry(at), number * entryBytes, 'latin1');
  }
  return Buffer.concat([Buffer.from(`xref\n0 ${size}\n`), entries]);
}

const entry = (at: number): string => `${String(at).padStart(10, '0')} 00000 n \n`;

/** Undefined for a free entry. */
function movedEntry(entries: Buffer, number: number, moved: (at: number) => number): number | undefined {
  const text = entries.toString('latin1', number * entryBytes, (number + 1) * entryBytes);
  return text.charAt(17) === 'n' ? moved(Number(text.slice(0, 10))) : undefined;
}

function trailer(
  file: PdfFile,
  info: number,
  size: number,
  tableAt: number,
  properties: PdfProperties,
): Buffer {
  const id = createHash('sha256').update(properties.fingerprint).digest('hex').slice(0, 32).toUpperCase();
  const entries = dictionary(
    new Map([
      ['Size', String(size)],
      ['Root', `${file.root} 0 R`],
      ['Info', `${info} 0 R`],
      ['ID', `[<${id}> <${id}>]`],
    ]),
  );
  return Buffer.concat([Buffer.from('trailer\n'), entries, Buffer.from(`\nstartxref\n${tableAt}\n%%EOF\n`)]);
}

/** What was replaced lies in the body still, with the dates of the print: spaces take its place. */
function blankObject(pdf: Buffer, at: number): void {
  const { end } = dictionaryAt(pdf, at);
  pdf.fill(' ', at, pdf.indexOf('endobj', end) + 'endobj'.length);
}
