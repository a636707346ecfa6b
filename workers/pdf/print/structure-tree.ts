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
  entries: PdfDictionary;
  kids: Kid[];
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
const kid = /<<\/Type \/(OBJR|MCR)([^>]*)>>|(\d+) 0 R|(\d+)/g;

const isElement = (item: Kid): item is StructureElement => 'kids' in item;
const isMark = (item: Kid): item is Mark => 'id' in item;

/** @throws PdfStructureError */
export function readStructure(objects: PdfObjects, root: number, documentLang: string): StructureElement {
  const entries = entriesOf(objects.text(root));
  const type = entries.get('S')?.slice(1) ?? '';
  const lang = entries.get('Lang')?.slice(1, -1) ?? documentLang;
  const page = Number.parseInt(entries.get('Pg') ?? '', 10);
  const element: StructureElement = { number: root, type, lang, entries, kids: [] };
  for (const [text, kind, reference = '', child, id] of (entries.get('K') ?? '').matchAll(kid)) {
    if (kind === 'OBJR') element.kids.push({ annotation: numberIn(reference, 'Obj'), text, owner: element });
    else if (kind === 'MCR')
      element.kids.push({ page: numberIn(reference, 'Pg'), id: numberIn(reference, 'MCID'), owner: element });
    else if (id !== undefined) element.kids.push({ page, id: Number(id), owner: element });
    else element.kids.push(readStructure(objects, Number(child), lang));
  }
  for (const name of ['Type', 'S', 'P', 'Pg', 'K']) entries.delete(name);
  return element;
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

/** All marked-content sequences by page and identifier, and all annotations by their object number. */
export function contentOf(
  root: StructureElement,
  marks = new Map<number, Mark[]>(),
  links = new Map<number, Annotation>(),
) {
  for (const item of root.kids) {
    if (isElement(item)) contentOf(item, marks, links);
    else if (!isMark(item)) links.set(item.annotation, item);
    else {
      const onPage = marks.get(item.page) ?? [];
      marks.set(item.page, onPage);
      onPage[item.id] = item;
    }
  }
  return { marks, links };
}

const groupings = /^(Document|Part|Art|Sect|Div|BlockQuote|NonStruct)$/;
const keptWhenEmpty = /^(TD|TH|Document)$/;
const isInline = (item: Kid) => !isElement(item) || /^(Span|Link)$/.test(item.type);
const isPartOfItem = (item: Kid) => isElement(item) && /^L(bl|Body)$/.test(item.type);

/** Changes a tree in place. */
export class StructureRebuild {
  /** Object numbers of removed elements. */
  readonly unused: number[] = [];
  #next: number;

  /** @param size object numbers from here on are unused */
  constructor(size: number) {
    this.#next = size;
  }

  /**
   * Removes NonStruct elements and decorations, and puts text outside paragraphs into P elements and the content of list items into
   * bodies.
   * @param isGrouped whether the nearest element that remains above the item is a grouping one
   * @returns what takes its place
   */
  simplify(item: Kid, isGrouped = true): Kid[] {
    if (!isElement(item)) return isMark(item) && item.isDecoration ? [] : [item];
    const isTransparent = item.type === 'NonStruct' && !item.entries.has('Lang');
    const holdsGroups = isTransparent ? isGrouped : groupings.test(item.type);
    const kids = item.kids.flatMap(inner => this.simplify(inner, holdsGroups));
    const isText = item.kids.every(isMark);
    const isParagraph = isGrouped && !isText && kids.every(isInline);
    if ((kids.length === 0 && !keptWhenEmpty.test(item.type)) || (isTransparent && !isParagraph)) {
      this.unused.push(item.number);
      return isGrouped && !isText ? this.#group(item, kids) : kids;
    }
    if (item.type === 'NonStruct') item.type = isGrouped ? (kids.every(isInline) ? 'P' : 'Div') : 'Span';
    return [adopt(item, this.#compose(item, kids))];
  }

  #compose(item: StructureElement, kids: Kid[]): Kid[] {
    if (groupings.test(item.type)) return this.#group(item, kids);
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
    return adopt({ number, type, lang, entries: new Map(), kids }, kids);
  }
}

function adopt(element: StructureElement, kids: Kid[]): StructureElement {
  element.kids = kids;
  for (const item of kids) if (!isElement(item)) item.owner = element;
  return element;
}

/** @returns the elements by object number; figures with the box of their images */
export function writeStructure(element: StructureElement, parent: number, texts = new Map<number, string>()) {
  const marks = element.kids.filter(isMark);
  const page = marks[0]?.page;
  const kids = element.kids.map(item => {
    if (isElement(item)) return `${item.number} 0 R`;
    if (!isMark(item)) return item.text;
    return item.page === page ? String(item.id) : `<</Type /MCR\n/Pg ${item.page} 0 R\n/MCID ${item.id}>>`;
  });
  const box = marks.flatMap(mark => (mark.box ? [mark.box] : [])).reduce(union, [0, 0, 0, 0]);
  const entries = [
    `/S /${element.type}\n/P ${parent} 0 R`,
    ...(page === undefined ? [] : [`/Pg ${page} 0 R`]),
    `/K ${kids.length === 1 ? kids[0] : `[${kids.join(' ')}]`}`,
    ...[...element.entries].map(([name, value]) => `/${name} ${value}`),
    ...(element.type === 'Figure' ? [`/A <</O /Layout\n/BBox [${box.join(' ')}]>>`] : []),
  ];
  texts.set(element.number, `<<${entries.join('\n')}>>`);
  for (const item of element.kids) if (isElement(item)) writeStructure(item, element.number, texts);
  return texts;
}

export const union = (one: Box, [left, bottom, right, top]: Box): Box =>
  one[0] === one[2]
    ? [left, bottom, right, top]
    : [Math.min(one[0], left), Math.min(one[1], bottom), Math.max(one[2], right), Math.max(one[3], top)];
