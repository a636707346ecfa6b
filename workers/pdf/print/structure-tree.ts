/**
 * Reads the structure tree of a print, and rebuilds it as PDF/UA-1 requires (ISO 32000-1, 14.7 and 14.8). Chromium writes a
 * NonStruct element for each box and each piece of text, and list items without a body.
 */
import { type PdfDictionary, type PdfObjects, PdfStructureError } from './pdf-file.ts';

/** In points, from the lower left corner of the page. */
export type Box = readonly [left: number, bottom: number, right: number, top: number];

/** A marked-content sequence. */
export interface Mark {
  /** Object number. */
  page: number;
  id: number;
  owner: StructureElement;
  /** The images in it. */
  box?: Box;
  /** It shows neither text nor a figure: an artifact. */
  isDecoration?: boolean;
}

export interface StructureElement {
  number: number;
  type: string;
  /** Own or inherited. */
  lang: string;
  /** Those that are copied: Lang, Alt, A, ID … */
  entries: ReadonlyMap<string, string>;
  kids: Kid[];
  /** In the print. */
  hasElements: boolean;
}

/** A reference to the annotation of a link. */
interface Annotation {
  annotation: number;
  text: string;
  owner: StructureElement;
}

type Kid = StructureElement | Mark | Annotation;

const string = String.raw`\((?:\\[\s\S]|[^\\()])*\)`;
const list = String.raw`\[(?:[^[\]()]|${string}|\[[^\]]*\])*\]`;
const entry = new RegExp(
  String.raw`\s*/(\w+)\s*(${string}|<[0-9A-Fa-f]*>|${list}|<<(?:[^<>]|<[^<>]*>)*>>|/\w+|\d+ 0 R|[-.\d]+)`,
  'y',
);
const kid = /<<\/Type \/(?:OBJR|MCR)[^>]*>>|\d+(?: 0 R)?/g;

/** The attributes of most elements, shared because a map for each would be a fifth of the memory. */
const noEntries: ReadonlyMap<string, string> = new Map();

const isElement = (item: Kid): item is StructureElement => 'kids' in item;
const isMark = (item: Kid): item is Mark => 'id' in item;

/** An element without more, as most of Chromium's are. */
const plainElement =
  /<<\/Type \/StructElem\n\/S \/(\w+)\n\/P \d+ 0 R\n(?:\/Pg (\d+) 0 R\n)?\/K (\d+(?: 0 R)?|\[[\d R]*\])>>/;

/**
 * @returns the tree, in which content takes the place of elements that have nothing else; all marked-content sequences by page
 * and identifier; all annotations by their object number; and the object numbers that became unused
 * @throws PdfStructureError
 */
export function readStructure(objects: PdfObjects, rootNumber: number, documentLang: string) {
  const marks = new Map<number, Mark[]>();
  const links = new Map<number, Annotation>();
  const unused: number[] = [];

  function addMark(owner: StructureElement, page: number, id: number): void {
    const onPage = marks.get(page) ?? [];
    if (onPage.length === 0) marks.set(page, onPage);
    onPage[id] = { page, id, owner };
    owner.kids.push(onPage[id]);
  }

  function addElement(owner: StructureElement, number: number): void {
    owner.hasElements = true;
    const text = objects.text(number);
    const [plain, type = '', page = '', kids = ''] = plainElement.exec(text) ?? [];
    if (plain === undefined) owner.kids.push(readAny(number, text, owner.lang));
    else if (type !== 'NonStruct' || Number.isNaN(Number(kids)))
      owner.kids.push(
        readKids({ number, type, lang: owner.lang, entries: noEntries, kids: [], hasElements: false }, page, kids),
      );
    else {
      addMark(owner, Number(page), Number(kids));
      unused.push(number);
    }
  }

  function readAny(number: number, text: string, inherited: string): StructureElement {
    const entries = entriesOf(text);
    const type = entries.get('S')?.slice(1) ?? '';
    const lang = entries.get('Lang')?.slice(1, -1) ?? inherited;
    const page = entries.get('Pg')?.replace(' 0 R', '') ?? '';
    const kids = entries.get('K') ?? '';
    for (const name of ['Type', 'S', 'P', 'Pg', 'K']) entries.delete(name);
    return readKids({ number, type, lang, entries, kids: [], hasElements: false }, page, kids);
  }

  function readKids(element: StructureElement, page: string, kids: string): StructureElement {
    for (const text of kids.match(kid) ?? []) {
      if (text.startsWith('<</Type /OBJR')) {
        const link = { annotation: numberIn(text, 'Obj'), text, owner: element };
        element.kids.push(link);
        links.set(link.annotation, link);
      } else if (text.startsWith('<<')) addMark(element, numberIn(text, 'Pg'), numberIn(text, 'MCID'));
      else if (text.endsWith('R')) addElement(element, Number.parseInt(text, 10));
      else addMark(element, Number(page), Number(text));
    }
    return element;
  }

  return { root: readAny(rootNumber, objects.text(rootNumber), documentLang), marks, links, unused };
}

const numberIn = (text: string, key: string) => Number(new RegExp(`/${key} (\\d+)`).exec(text)?.[1]);

function entriesOf(text: string): PdfDictionary {
  const entries: PdfDictionary = new Map();
  entry.lastIndex = text.indexOf('<<') + 2;
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) {
    entries.set(match[1] ?? '', match[2] ?? '');
    if (text.startsWith('>>', entry.lastIndex)) return entries;
  }
  throw new PdfStructureError('The PDF has a structure element of an unknown form.');
}

const groupings = new Set(['Document', 'Part', 'Art', 'Sect', 'Div', 'BlockQuote', 'NonStruct']);
const isInline = (item: Kid) => !isElement(item) || item.type === 'Span' || item.type === 'Link';
const isPartOfItem = (item: Kid) => isElement(item) && (item.type === 'Lbl' || item.type === 'LBody');

/** Changes a tree in place. */
export class StructureRebuild {
  /** Object numbers of removed elements. */
  readonly unused: number[];
  #next: number;

  /**
   * @param size object numbers from here on are unused
   * @param unused further object numbers
   */
  constructor(size: number, unused: number[]) {
    this.#next = size;
    this.unused = unused;
  }

  /**
   * Removes NonStruct elements and decorations, and puts text outside paragraphs into P elements and the content of list items into
   * bodies.
   * @param isGrouped whether the nearest element that remains above the item is a grouping one
   * @returns what takes its place
   */
  simplify(item: StructureElement, isGrouped = true): Kid[] {
    const isTransparent = item.type === 'NonStruct' && !item.entries.has('Lang');
    const holdsGroups = isTransparent ? isGrouped : groupings.has(item.type);
    const kids: Kid[] = [];
    for (const inner of item.kids)
      if (isElement(inner)) kids.push(...this.simplify(inner, holdsGroups));
      else if (!(isMark(inner) && inner.isDecoration)) kids.push(inner);
    const isText = !item.hasElements && item.kids.every(isMark);
    const isParagraph = isGrouped && !isText && kids.every(isInline);
    if ((kids.length === 0 && item.type !== 'Document') || (isTransparent && !isParagraph)) {
      this.unused.push(item.number);
      return isGrouped && !isText ? this.#group(item, kids) : kids;
    }
    if (item.type === 'NonStruct') item.type = isGrouped ? (kids.every(isInline) ? 'P' : 'Div') : 'Span';
    return [adopt(item, this.#compose(item, kids))];
  }

  #compose(item: StructureElement, kids: Kid[]): Kid[] {
    if (groupings.has(item.type)) return this.#group(item, kids);
    const body = item.type === 'LI' ? kids.filter(kid => !isPartOfItem(kid)) : [];
    return body.length === 0 ? kids : [...kids.filter(isPartOfItem), this.#wrap('LBody', item, body)];
  }

  /** Consecutive inline content becomes a paragraph. */
  #group(parent: StructureElement, kids: readonly Kid[]): Kid[] {
    const runs: Kid[][] = [];
    for (const [at, item] of kids.entries()) {
      const previous = kids[at - 1];
      if (previous && isInline(previous) && isInline(item)) runs.at(-1)?.push(item);
      else runs.push([item]);
    }
    return runs.flatMap(run => (run.every(isInline) ? this.#wrap('P', parent, run) : run));
  }

  #wrap(type: string, { lang }: StructureElement, kids: Kid[]): StructureElement {
    const number = this.unused.pop() ?? this.#next++;
    return adopt({ number, type, lang, entries: noEntries, kids, hasElements: true }, kids);
  }
}

function adopt(element: StructureElement, kids: Kid[]): StructureElement {
  element.kids = kids;
  for (const item of kids) if (!isElement(item)) item.owner = element;
  return element;
}

/** Adds the elements by object number; figures with the box of their images. */
export function writeStructure(
  element: StructureElement,
  parent: number,
  texts: Map<number, string | undefined>,
): void {
  const page = element.kids.find(isMark)?.page;
  const kids = element.kids.map(item => {
    if (isElement(item)) return `${item.number} 0 R`;
    if (!isMark(item)) return item.text;
    return item.page === page ? String(item.id) : `<</Type /MCR\n/Pg ${item.page} 0 R\n/MCID ${item.id}>>`;
  });
  let text = `<</S /${element.type}\n/P ${parent} 0 R`;
  if (page !== undefined) text += `\n/Pg ${page} 0 R`;
  text += `\n/K ${kids.length === 1 ? kids[0] : `[${kids.join(' ')}]`}`;
  for (const [name, value] of element.entries) text += `\n/${name} ${value}`;
  if (element.type === 'Figure') text += `\n/A <</O /Layout\n/BBox [${boxOf(element.kids).join(' ')}]>>`;
  texts.set(element.number, `${text}>>`);
  for (const item of element.kids) if (isElement(item)) writeStructure(item, element.number, texts);
}

export const union = (one: Box, [left, bottom, right, top]: Box): Box =>
  one[0] === one[2]
    ? [left, bottom, right, top]
    : [Math.min(one[0], left), Math.min(one[1], bottom), Math.max(one[2], right), Math.max(one[3], top)];

const boxOf = (kids: readonly Kid[]): Box =>
  kids.reduce<Box>((box, item) => (isMark(item) && item.box ? union(box, item.box) : box), [0, 0, 0, 0]);
