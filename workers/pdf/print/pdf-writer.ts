/** Writes one PDF from the prints of its parts: with properties, PDF/UA-1 tags and photos; its bytes depend on the input only. */
import { createHash } from 'node:crypto';
import { pageAddress } from '../layout/design.ts';
import type { SheetName } from '../layout/sheet.ts';
import { cropMarks, pageHeightOf, withBoxes } from './page-boxes.ts';
import { dictionaryText, type PdfDictionary, PdfStructureError, textString } from './pdf-file.ts';
import { PdfOutput } from './pdf-output.ts';
import { infoDictionary, metadataStream, type PdfProperties } from './pdf-properties.ts';
import { findPlaceholders, type Replacement, replacementEntries } from './placeholders.ts';
import { type PrintedPart, readPart } from './read-part.ts';

/** An image of the PDF. The part with the cover shows photos of other parts. */
interface Image {
  number: number;
  /** The entries of its placeholder; undefined when it has been written. */
  entries: PdfDictionary | undefined;
}

/** An object with the references and keys of the whole document. */
type Renumber = (text: string) => string;

/** Keys of the parent tree for each part; Chromium counts pages from 0 and links from 100,000. */
const keysPerPart = 1_000_000;

/** A string, which stays as it is and in which Skia escapes parentheses; a reference; a key of the parent tree. */
const numbered = /\((?:\\[\s\S]|[^\\()])*\)|(\d+) 0 R|(\/StructParents? )(\d+)/g;
/** An owner or a list of owners in the parent tree, after its key. */
const owned = /(\d+) (\[[^\]]*\]|\d+ 0 R)/g;
const neighbours = /\n?\/(?:Prev|Next) \d+ 0 R/g;
const streamKeyword = 'stream\n';

const pageOrigin = pageAddress('');
const pageLink = new RegExp(String.raw`/A <<[^<>]*/URI \(${pageOrigin.replaceAll('.', '\\.')}(\d+)\)>>`, 'g');

/** The cross-reference entry of an object that was removed and whose number stays unused (ISO 32000-1, 7.5.4). */
const freeEntry = '0000000000 65535 f \n';

/**
 * `add` each part in order, then `end`. The first part keeps its object numbers; the roots of all parts' pages, tags and
 * bookmarks are written at the end as one.
 */
export class PdfWriter {
  readonly #properties: PdfProperties;
  readonly #sheet: SheetName | undefined;
  readonly #output = new PdfOutput();
  /** By hash. */
  readonly #images = new Map<string, Image>();
  /** In order. */
  readonly #pages: number[] = [];
  /** The children of the roots that the parts have in common. */
  readonly #kids = { pages: [] as number[], document: [] as string[], parentTree: [] as number[] };
  readonly #bookmarks: { number: number; text: string }[] = [];
  readonly #destinations: PdfDictionary = new Map();
  /** Numbers from 1, of the links between parts. */
  readonly #linkedPages = new Set<number>();
  #openBookmarks = 0;
  #first: Omit<PrintedPart, 'objects' | 'changed'> | undefined;
  #parts = 0;
  /** Number of the object with the crop marks. */
  #marks: number | undefined;
  /** In points. */
  #pageHeight = 842;
  /** Object numbers from here on are unused. */
  #size = 1;

  /** @param sheet for a printing house */
  constructor(properties: PdfProperties, sheet?: SheetName) {
    this.#properties = properties;
    this.#sheet = sheet;
  }

  /**
   * Photos are not copied.
   * @param replacements for placeholders in this part or an earlier one, by hash
   * @param linkTexts by address
   * @returns the next bytes of the file
   * @throws PdfStructureError for an unknown structure, or when the placeholder of a photo is missing
   */
  add(
    pdf: Buffer,
    replacements: ReadonlyMap<string, Replacement> = new Map(),
    linkTexts: ReadonlyMap<string, string> = new Map(),
  ): Buffer[] {
    const part = readPart(pdf, linkTexts);
    const { objects, changed, ...roots } = part;
    // Chromium continues the numbers of header cells from one document to the next.
    if (roots.tree?.entries.has('IDTree')) throw new PdfStructureError('The PDF has a table with header cells.');
    const offset = this.#size - 1;
    const keys = this.#parts++ * keysPerPart;
    this.#size += part.size - 1;
    if (offset === 0) this.#output.text(objects.header);
    this.#first ??= roots;

    const common = this.#first.common;
    const numbers = new Map(part.common.map((number, at) => [number, common[at]]));
    const numberOf = (number: number) => numbers.get(number) ?? number + offset;
    const all: Renumber = text =>
      text.replace(numbered, (same, number?: string, key?: string, value?: string) => {
        if (number !== undefined) return `${numberOf(Number(number))} 0 R`;
        return key === undefined ? same : `${key}${Number(value) + keys}`;
      });
    const renumber: Renumber = offset === 0 ? text => text : all;

    if (this.#sheet !== undefined) this.#setBoxes(part, this.#sheet, numbers);
    const placeholders = new Map<number, Image>();
    for (const { number, hash, entries } of findPlaceholders(objects)) {
      const image = this.#images.get(hash) ?? { number: number + offset, entries };
      this.#images.set(hash, image);
      numbers.set(number, image.number);
      placeholders.set(number, image);
    }
    const bodies = this.#bodiesOf(replacements);
    const writeImage = (image: Image) => {
      const replacement = bodies.get(image);
      if (image.entries === undefined || !replacement) return;
      const text = `${dictionaryText(replacementEntries(image.entries, replacement))} stream\n`;
      this.#output.object(image.number, text, replacement.body, '\nendstream\nendobj\n');
      image.entries = undefined;
    };
    for (let number = 1; number < part.size; number++) {
      const image = placeholders.get(number);
      if (image) writeImage(image);
      else if (part.merged.has(number)) continue;
      else if (changed.has(number)) {
        const text = changed.get(number);
        if (text !== undefined) this.#output.object(number + offset, this.#inDocument(text, renumber), '\nendobj\n');
      } else if (objects.has(number)) {
        const { text, data } = objects.split(number);
        this.#output.object(number + offset, renumber(text), ...data);
      }
    }
    for (const image of bodies.keys()) writeImage(image);
    this.#merge(part, numberOf, renumber, keys);
    return this.#output.take();
  }

  /** @returns the last bytes of the file @throws PdfStructureError when a photo is missing */
  end(): Buffer[] {
    const first = this.#first;
    if (!first) throw new TypeError('a PDF has at least one part');
    const missing = [...this.#images.values()].filter(({ entries }) => entries).length;
    if (missing > 0) throw new PdfStructureError(`The PDF lacks ${missing} of its images.`);
    const catalog = new Map([
      ...first.catalog,
      ['Lang', textString(this.#properties.language)],
      ['ViewerPreferences', '<</DisplayDocTitle true>>'],
      ['Metadata', `${this.#add(metadataStream(this.#properties, first.tree !== undefined))} 0 R`],
    ]);
    const { number, entries } = first.pageRoot;
    const kids = ['Kids', references(this.#kids.pages)] as const;
    this.#object(number, dictionaryText(new Map([...entries, ['Count', String(this.#pages.length)], kids])));
    this.#endTree(first);
    if (first.outlines !== undefined) this.#endBookmarks(first.outlines);
    for (const page of this.#linkedPages)
      this.#destinations.set(
        `page-${page}`,
        `[${this.#pages[page - 1] ?? first.pageRoot.number} 0 R /XYZ 0 ${this.#pageHeight} 0]`,
      );
    if (this.#destinations.size > 0) catalog.set('Dests', `${this.#add(dictionaryText(this.#destinations))} 0 R`);
    this.#object(first.root, dictionaryText(catalog));
    const info = infoDictionary(this.#properties, first.producer ?? textString('Chromium'));
    const infoNumber = first.info ?? this.#size++;
    this.#object(infoNumber, info);
    this.#endFile(first.root, infoNumber);
    return this.#output.take();
  }

  /** Those that can be written now. @throws PdfStructureError for a photo that is neither in this part nor in an earlier one */
  #bodiesOf(replacements: ReadonlyMap<string, Replacement>): Map<Image, Replacement> {
    const bodies = new Map<Image, Replacement>();
    let missing = 0;
    for (const [hash, replacement] of replacements) {
      const image = this.#images.get(hash);
      if (image) bodies.set(image, replacement);
      else if (replacement.kind === 'photo') missing++;
    }
    if (missing > 0) throw new PdfStructureError(`The print lacks the placeholders of ${missing} photos.`);
    return bodies;
  }

  /** The crop marks of all pages are one object, whose number in each part is the first unused one. */
  #setBoxes(
    { pageRoot, objects, changed, size }: PrintedPart,
    sheet: SheetName,
    numbers: Map<number | undefined, number | undefined>,
  ) {
    for (const number of pageRoot.pages) {
      const { text } = objects.split(number);
      const page = text.slice(0, text.lastIndexOf('>>') + 2);
      this.#pageHeight = pageHeightOf(page);
      if (sheet === 'crop-marks') this.#marks ??= this.#add(cropMarks(page));
      changed.set(number, withBoxes(page, sheet, size));
    }
    numbers.set(size, this.#marks);
  }

  /** A stream's data stays as it is. */
  #inDocument(text: string, renumber: Renumber): string {
    const at = text.indexOf(streamKeyword);
    if (at !== -1) return renumber(text.slice(0, at)) + text.slice(at);
    if (!text.includes(pageOrigin)) return renumber(text);
    const linked = text.replace(pageLink, (_, page: string) => {
      this.#linkedPages.add(Number(page));
      return `/Dest /page-${page}`;
    });
    return renumber(linked);
  }

  #merge(part: PrintedPart, numberOf: (number: number) => number, renumber: Renumber, keys: number): void {
    const { pageRoot, tree, bookmarks, destinations, changed, objects } = part;
    this.#pages.push(...pageRoot.pages.map(numberOf));
    this.#kids.pages.push(...pageRoot.kids.map(numberOf));
    this.#openBookmarks += part.openBookmarks;
    for (const number of bookmarks) {
      const text = renumber(objects.split(number).text.replaceAll(neighbours, ''));
      this.#bookmarks.push({ number: numberOf(number), text });
    }
    for (const [name, value] of destinations ?? []) this.#destinations.set(name, renumber(value));
    if (!tree) return;
    this.#kids.document.push(renumber(kidsOf.exec(tree.document.text)?.[1] ?? ''));
    const owners = [...(changed.get(tree.parentTree) ?? '').matchAll(owned)];
    const pairs = owners.map(([, key, owner = '']) => [Number(key) + keys, renumber(owner)] as const);
    const limits = `[${pairs[0]?.[0] ?? keys} ${pairs.at(-1)?.[0] ?? keys}]`;
    this.#output.object(
      numberOf(tree.parentTree),
      `<</Limits ${limits}\n/Nums [${pairs.flat().join(' ')}]>>\nendobj\n`,
    );
    this.#kids.parentTree.push(numberOf(tree.parentTree));
  }

  #endTree({ tree }: Pick<PrintedPart, 'tree'>): void {
    if (!tree) return;
    const kids = this.#kids.document.join(' ');
    this.#object(
      tree.document.number,
      tree.document.text.replace(kidsOf, () => `/K [${kids}]`),
    );
    const parentTree = this.#add(`<</Kids ${references(this.#kids.parentTree)}>>`);
    const own = [
      ['ParentTree', `${parentTree} 0 R`],
      ['ParentTreeNextKey', String(this.#parts * keysPerPart)],
    ] as const;
    this.#object(tree.number, dictionaryText(new Map([...tree.entries, ...own])));
  }

  #endBookmarks(root: number): void {
    const numbers = this.#bookmarks.map(({ number }) => number);
    for (const [at, { number, text }] of this.#bookmarks.entries()) {
      const links = [['Prev', numbers[at - 1]] as const, ['Next', numbers[at + 1]] as const];
      const written = links.flatMap(([name, other]) => (other === undefined ? [] : `\n/${name} ${other} 0 R`));
      this.#output.object(
        number,
        text.replace(/>>\s*endobj\s*$/, () => `${written.join('')}>>\nendobj\n`),
      );
    }
    const ends = `/First ${numbers.at(0)} 0 R\n/Last ${numbers.at(-1)} 0 R`;
    this.#object(root, `<</Type /Outlines\n${ends}\n/Count ${this.#openBookmarks}>>`);
  }

  /** @returns its number */
  #add(body: string): number {
    this.#object(this.#size++, body);
    return this.#size - 1;
  }

  #object(number: number, body: string): void {
    this.#output.object(number, body, '\nendobj\n');
  }

  #endFile(root: number, info: number): void {
    const { bytes: tableAt, offsets } = this.#output;
    let entries = freeEntry;
    for (let number = 1; number < this.#size; number++) {
      const at = offsets[number];
      entries += at === undefined ? freeEntry : `${String(at).padStart(10, '0')} 00000 n \n`;
    }
    const id = createHash('sha256').update(this.#properties.fingerprint).digest('hex').slice(0, 32).toUpperCase();
    const trailer = `<</Size ${this.#size}\n/Root ${root} 0 R\n/Info ${info} 0 R\n/ID [<${id}> <${id}>]>>`;
    this.#output.text(`xref\n0 ${this.#size}\n${entries}trailer\n${trailer}\nstartxref\n${tableAt}\n%%EOF\n`);
  }
}

const kidsOf = /\/K \[?([^\]/>]*)\]?/;
const references = (numbers: readonly number[]): string => `[${numbers.map(number => `${number} 0 R`).join(' ')}]`;
