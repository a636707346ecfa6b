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

/** A reference to an annotation. */
interface LinkReference {
  annotation: number;
  text: string;
}

type Kid = StructureElement | Mark | LinkReference;

const string = String.raw`\((?:\\[\s\S]|[^\\()])*\)`;
const list = String.raw`\[(?:[^[\]()]|${string}|\[[^\]]*\])*\]`;
const entry = new RegExp(
  String.raw`\s*/(\w+)\s*(${string}|<[0-9A-Fa-f]*>|${list}|<<(?:[^<>]|<[^<>]*>)*>>|/\w+|\d+ 0 R|[-.\d]+)`,
  'y',
);
const kid = /<<\/Type \/(OBJR|MCR)([^>]*)>>|(\d+) 0 R|(\d+)/g;

const isElement = (item: Kid): item is StructureElement => 'kids' in item;
const isMark = (item: Kid): item is Mark => 'owner' in item;

/** @throws PdfStructureError */
export function readStructure(objects: PdfObjects, root: number, documentLang: string): StructureElement {
  const entries = entriesOf(objects.text(root));
  const type = entries.get('S')?.slice(1) ?? '';
  const lang = entries.get('Lang')?.slice(1, -1) ?? documentLang;
  const page = Number.parseInt(entries.get('Pg') ?? '', 10);
  const element: StructureElement = { number: root, type, lang, entries, kids: [] };
  for (const [text, kind, reference = '', child, id] of (entries.get('K') ?? '').matchAll(kid)) {
    if (kind === 'OBJR') element.kids.push({ annotation: numberIn(reference, 'Obj'), text });
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

/** All marked-content sequences, by page and identifier. */
export function marksOf(root: StructureElement, marks = new Map<number, Mark[]>()): Map<number, Mark[]> {
  for (const item of root.kids) {
    if (isElement(item)) marksOf(item, marks);
    else if (isMark(item)) {
      const onPage = marks.get(item.page) ?? [];
      marks.set(item.page, onPage);
      onPage[item.id] = item;
    }
  }
  return marks;
}

const groupings = /^(Document|Part|Art|Sect|Div|BlockQuote|NonStruct)$/;
const keptWhenEmpty = /^(TD|TH|Document)$/;
const isInline = (item: Kid) => !isElement(item) || /^(Span|Link)$/.test(item.type);

/**
 * Removes NonStruct elements and decorations, puts text outside paragraphs into P elements and the content of list items into
 * bodies, and gives figures their bounding box. Changes the tree in place.
 * @param parent the object number of the tree's root
 * @param size object numbers from here on are unused
 * @returns the elements by object number, undefined for those removed; references to the elements of links, by annotation, and
 * to those of marks, by page
 */
export function rebuildStructure(root: StructureElement, parent: number, size: number) {
  const texts = new Map<number, string | undefined>();
  const linkElements = new Map<number, string>();
  const markElements = new Map<number, string[]>();
  const removed: number[] = [];
  let next = size;

  const wrapped = (type: string, { lang }: StructureElement, kids: Kid[]): StructureElement => {
    return { number: removed.pop() ?? next++, type, lang, entries: new Map(), kids };
  };

  /** @param isGrouped whether the nearest element that remains above it is a grouping one */
  function simplified(item: Kid, isGrouped: boolean): Kid[] {
    if (!isElement(item)) return isMark(item) && item.isDecoration ? [] : [item];
    const isTransparent = item.type === 'NonStruct' && !item.entries.has('Lang');
    const holdsGroups = isTransparent ? isGrouped : groupings.test(item.type);
    const kids = item.kids.flatMap(inner => simplified(inner, holdsGroups));
    const isParagraph = isTransparent && isGrouped && kids.every(isInline) && !item.kids.every(isMark);
    if ((kids.length === 0 && !keptWhenEmpty.test(item.type)) || (isTransparent && !isParagraph)) {
      removed.push(item.number);
      return isGrouped && !item.kids.every(isMark) ? grouped(item, kids) : kids;
    }
    if (item.type === 'NonStruct') item.type = isGrouped ? (kids.every(isInline) ? 'P' : 'Div') : 'Span';
    item.kids = composed(item, kids);
    return [item];
  }

  function composed(item: StructureElement, kids: Kid[]): Kid[] {
    if (item.type === 'LI')
      return kids.every(inner => isElement(inner) && /^L(bl|Body)$/.test(inner.type))
        ? kids
        : [wrapped('LBody', item, kids)];
    if (item.type === 'L')
      return kids.map(inner =>
        isElement(inner) && /^(L|LI|Caption)$/.test(inner.type)
          ? inner
          : wrapped('LI', item, [wrapped('LBody', item, [inner])]),
      );
    return groupings.test(item.type) ? grouped(item, kids) : kids;
  }

  /** Consecutive inline content becomes a paragraph. */
  function grouped(parent: StructureElement, kids: readonly Kid[]): Kid[] {
    const blocks: Kid[] = [];
    let paragraph: StructureElement | undefined;
    for (const item of kids) {
      if (!isInline(item)) blocks.push(item);
      else if (paragraph) paragraph.kids.push(item);
      else {
        paragraph = wrapped('P', parent, [item]);
        blocks.push(paragraph);
      }
      if (!isInline(item)) paragraph = undefined;
    }
    return blocks;
  }

  function write(element: StructureElement, parent: number): void {
    const self = `${element.number} 0 R`;
    const marks = element.kids.filter(isMark);
    const page = marks[0]?.page;
    const kids = element.kids.map(item => {
      if (isElement(item)) return `${item.number} 0 R`;
      if (!isMark(item)) return item.text;
      return item.page === page ? String(item.id) : `<</Type /MCR\n/Pg ${item.page} 0 R\n/MCID ${item.id}>>`;
    });
    const entries = [
      `/S /${element.type}\n/P ${parent} 0 R`,
      ...(page === undefined ? [] : [`/Pg ${page} 0 R`]),
      `/K ${kids.length === 1 ? kids[0] : `[${kids.join(' ')}]`}`,
      ...[...element.entries].map(([name, value]) => `/${name} ${value}`),
      ...(element.type === 'Figure' ? [`/A <</O /Layout\n/BBox [${boxAround(marks).join(' ')}]>>`] : []),
    ];
    texts.set(element.number, `<<${entries.join('\n')}>>`);
    for (const item of element.kids) {
      if (isElement(item)) write(item, element.number);
      else if (!isMark(item)) linkElements.set(item.annotation, self);
      else {
        const onPage = markElements.get(item.page) ?? [];
        markElements.set(item.page, onPage);
        onPage[item.id] = self;
      }
    }
  }

  simplified(root, true);
  write(root, parent);
  for (const number of removed) texts.set(number, undefined);
  return { texts, linkElements, markElements };
}

const boxAround = (marks: readonly Mark[]): Box =>
  marks.flatMap(({ box }) => (box ? [box] : [])).reduce(union, [0, 0, 0, 0]);

export const union = (one: Box, other: Box): Box =>
  one[0] === one[2]
    ? other
    : [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[2], other[2]), Math.max(one[3], other[3])];
