/** Sets the properties of a printed PDF, and makes its bytes depend on the input only. */
import { createHash } from 'node:crypto';
import {
  dictionaryAt,
  dictionaryText,
  objectAt,
  objectsOf,
  type PdfDictionary,
  type PdfFile,
  type PdfObjects,
  readPdfFile,
  textString,
} from './pdf-file.ts';
import { insertReplacements, type Replacement } from './placeholders.ts';
import { tagDocument } from './tag-document.ts';

export interface PdfProperties {
  title: string;
  author: string;
  subject: string;
  /** The program that made the document. */
  creator: string;
  /** BCP 47, such as "en". */
  language: string;
  /** Any text that differs when the input does; the file identifier is its hash. */
  fingerprint: string;
}

/** The name of a table header cell: in its `/ID`, in `/Headers` of the cells below it, in the tree of identifiers. */
const cellName = /^\(node\d{8}\)$/;
const cellNameBytes = 14;
/** Tells it from text of a listing that looks the same, which follows another key. */
const beforeCellName = /(\/ID |\[|\) ?|R )$/;

/**
 * Sets title, author, subject, creator, language and XMP metadata. Removes Chromium's dates, because they differ between
 * prints of the same input; they are optional (ISO 32000-1, 14.3.3). Makes the tags conform to PDF/UA-1, when there are any.
 * Photos are not copied.
 * @param pdf is changed in place
 * @param replacements for placeholders, by hash
 * @param linkTexts by address
 * @returns the parts of the finished file in order
 * @throws PdfStructureError for an unknown structure, or when the placeholder of a photo is missing
 */
export function finishPdf(
  pdf: Buffer,
  properties: PdfProperties,
  replacements: ReadonlyMap<string, Replacement> = new Map(),
  linkTexts: ReadonlyMap<string, string> = new Map(),
): Buffer[] {
  const file = readPdfFile(pdf);
  const printed = pdf.subarray(0, file.tableAt);
  renumberHeaderCells(printed);
  const printedObjects = objectsOf(file);
  const objects = newObjects(file, printedObjects, properties, linkTexts);
  const body = insertReplacements(printed, replacements, objects.removed);
  const offsets = new Map<number, number>();
  let at = body.bytes;
  for (const [number, object] of objects.written) {
    offsets.set(number, at);
    at += object.length;
  }
  const end = Buffer.concat([
    Buffer.from([...objects.written.values()].join(''), 'latin1'),
    crossReferences(printedObjects.offsets, body.newOffset, offsets, objects),
    trailer(file, objects, at, properties.fingerprint),
  ]);
  return [...body.parts, end];
}

/** The objects that differ from the print, under their old number or a new one at the end. */
function newObjects(
  file: PdfFile,
  objects: PdfObjects,
  properties: PdfProperties,
  linkTexts: ReadonlyMap<string, string>,
) {
  const entriesOf = (number: number) => dictionaryAt(file.bytes, objectAt(file, number)).entries;
  const producer = file.info === undefined ? undefined : entriesOf(file.info).get('Producer');
  const metadata = file.size;
  const info = file.info ?? file.size + 1;
  const catalog = entriesOf(file.root);
  const isTagged = catalog.has('StructTreeRoot');
  const bodies = new Map<number, string | undefined>([
    [info, infoDictionary(properties, producer ?? textString('Chromium'))],
    [file.root, catalogDictionary(catalog, properties, metadata)],
    [metadata, metadataStream(properties, isTagged)],
    ...(isTagged ? tagDocument(objects, Math.max(metadata, info) + 1, catalog, linkTexts) : []),
  ]);
  const written = new Map<number, string>();
  const removed: { from: number; to: number }[] = [];
  const unused = new Set<number>();
  let size = metadata + 1;
  for (const [number, body] of bodies) {
    size = Math.max(size, number + 1);
    if (number < file.size) removed.push(objects.range(number));
    if (body === undefined) unused.add(number);
    else written.set(number, `${number} 0 obj\n${body}\nendobj\n`);
  }
  return { written, removed, unused, info, size };
}

function metadataStream(properties: PdfProperties, isTagged: boolean): string {
  const packet = Buffer.from(xmpPacket(properties, isTagged)).toString('latin1');
  return `<</Type /Metadata\n/Subtype /XML\n/Length ${packet.length}>> stream\n${packet}\nendstream`;
}

function infoDictionary(properties: PdfProperties, producer: string): string {
  return dictionary([
    ['Title', textString(properties.title)],
    ['Author', textString(properties.author)],
    ['Subject', textString(properties.subject)],
    ['Creator', textString(properties.creator)],
    ['Producer', producer],
  ]);
}

function catalogDictionary(printed: PdfDictionary, properties: PdfProperties, metadata: number): string {
  return dictionary([
    ...printed,
    ['Lang', textString(properties.language)],
    ['ViewerPreferences', '<</DisplayDocTitle true>>'],
    ['Metadata', `${metadata} 0 R`],
  ]);
}

/** Later entries replace earlier ones of the same name. */
const dictionary = (entries: readonly [string, string][]): string => dictionaryText(new Map(entries));

/** Of an object that was removed and whose number stays unused (7.5.4). */
const freeEntry = '0000000000 65535 f \n';

/** An entry is 20 bytes (ISO 32000-1, 7.5.4). */
function crossReferences(
  printed: PdfObjects['offsets'],
  newOffset: (at: number) => number,
  offsets: ReadonlyMap<number, number>,
  { size, unused }: { size: number; unused: ReadonlySet<number> },
): Buffer {
  let entries = freeEntry;
  for (let number = 1; number < size; number++) {
    const at = offsets.get(number) ?? newOffset(printed[number] ?? Number.NaN);
    const isFree = unused.has(number) || Number.isNaN(at);
    entries += isFree ? freeEntry : `${String(at).padStart(10, '0')} 00000 n \n`;
  }
  return Buffer.from(`xref\n0 ${size}\n${entries}`, 'latin1');
}

function trailer(
  { root }: PdfFile,
  { info, size }: { info: number; size: number },
  tableAt: number,
  fingerprint: string,
): Buffer {
  const id = createHash('sha256').update(fingerprint).digest('hex').slice(0, 32).toUpperCase();
  const entries = dictionary([
    ['Size', String(size)],
    ['Root', `${root} 0 R`],
    ['Info', `${info} 0 R`],
    ['ID', `[<${id}> <${id}>]`],
  ]);
  return Buffer.from(`trailer\n${entries}\nstartxref\n${tableAt}\n%%EOF\n`, 'latin1');
}

/**
 * Renumbers the names of table header cells from 1, because Chromium continues its numbering from one document to the next.
 * Writes in place and keeps their order, so that a sorted list stays sorted. Compressed text and photos cannot contain such a
 * name except on purpose, and would lose only a digit.
 */
function renumberHeaderCells(pdf: Buffer): void {
  const offsets = new Map<string, number[]>();
  for (let at = pdf.indexOf('(node'); at !== -1; at = pdf.indexOf('(node', at + 1)) {
    const name = pdf.toString('latin1', at, at + cellNameBytes);
    if (!cellName.test(name) || !beforeCellName.test(pdf.toString('latin1', at - 4, at))) continue;
    offsets.set(name, [...(offsets.get(name) ?? []), at]);
  }
  [...offsets.keys()].sort().forEach((name, index) => {
    for (const at of offsets.get(name) ?? []) pdf.write(`(node${String(index + 1).padStart(8, '0')})`, at, 'latin1');
  });
}

/** ISO 14289-1, 5. */
const identification = `<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description>`;

/** The document's properties as XMP (ISO 16684-1), for newer readers and archives. */
function xmpPacket(properties: PdfProperties, isTagged: boolean): string {
  const { title, author, subject, creator, language } = properties;
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${xmlText(title)}</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${xmlText(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">${xmlText(subject)}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>${xmlText(language)}</rdf:li></rdf:Bag></dc:language>
<xmp:CreatorTool>${xmlText(creator)}</xmp:CreatorTool>
</rdf:Description>
${isTagged ? identification : ''}
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

/** XML 1.0 forbids control characters, noncharacters and unpaired surrogates, even escaped. */
function xmlText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones XML forbids
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
