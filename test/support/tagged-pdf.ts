/** Reads the structure tree, the marked content and the fonts of a tagged PDF, for matterhorn.ts. */
import {
  type Dictionary,
  Name,
  Operator,
  PdfObjects,
  PdfString,
  Reader,
  Reference,
  type Value,
} from './pdf-objects.ts';

export interface Element {
  number: number | undefined;
  type: string;
  entries: Dictionary;
  parent: Element | undefined;
  kids: Element[];
  /** Own or inherited. */
  lang: string | undefined;
  /** Page and identifier of its marked content. */
  marks: { page: number; id: number }[];
  annotations: number[];
}

/** One text-showing or painting operator, with the marked content around it, outermost first. */
export interface Painted {
  page: number;
  operator: string;
  tags: { tag: string; id: number | undefined; lang: string | undefined; isPagination: boolean }[];
  text: { font: Font; codes: number[] } | undefined;
}

export interface Font {
  number: number;
  entries: Dictionary;
  descendant: Dictionary;
  descriptor: Dictionary;
  unicode: ReadonlyMap<number, string>;
  widthOf: (code: number) => number;
  program: { glyphs: number; unitsPerEm: number; advance: (glyph: number) => number } | undefined;
}

const painting = /^(?:f|F|f\*|B|B\*|b|b\*|S|s|sh|Do|Tj|TJ|'|"|EI)$/;

export class TaggedPdf {
  readonly objects: PdfObjects;
  readonly catalog: Dictionary;
  readonly elements: Element[] = [];
  readonly #owners = new Map<string, Element>();
  readonly #parents = new Map<Value, Value>();
  readonly pages: { number: number; entries: Dictionary }[] = [];
  readonly painted: Painted[] = [];
  readonly formsWithMarks: string[] = [];
  readonly usedForms: number[] = [];
  readonly fonts = new Map<number, Font>();

  constructor(bytes: Buffer) {
    this.objects = new PdfObjects(bytes);
    this.catalog = this.objects.dictionary(this.objects.trailer.get('Root'));
    this.#readPages(this.catalog.get('Pages'));
    this.#readParents(this.root.get('ParentTree'));
    for (const kid of this.objects.list(this.root.get('K'))) this.#readElement(kid, undefined);
    for (const { number, entries } of this.pages) {
      const content = this.objects
        .list(entries.get('Contents'))
        .map(part => this.objects.stream(part)?.toString('latin1') ?? '');
      this.#readContent(number, content.join('\n'), this.objects.dictionary(entries.get('Resources')), []);
    }
  }

  get root(): Dictionary {
    return this.objects.dictionary(this.catalog.get('StructTreeRoot'));
  }

  /** The element of the innermost tagged content around an operator. */
  ownerOf({ page, tags }: Painted): Element | undefined {
    return this.#owners.get(`${page} ${tags.findLast(({ id }) => id !== undefined)?.id}`);
  }

  /** The value of a number tree. */
  parentOf(key: number): Value {
    return this.#parents.get(key) ?? null;
  }

  annotations(): { number: number; entries: Dictionary; page: Dictionary }[] {
    return this.pages.flatMap(({ entries: page }) =>
      this.objects
        .list(page.get('Annots'))
        .flatMap(value =>
          value instanceof Reference ? { number: value.number, entries: this.objects.dictionary(value), page } : [],
        ),
    );
  }

  #readParents(value: Value | undefined): void {
    const node = this.objects.dictionary(value);
    const numbers = this.objects.list(node.get('Nums'));
    for (let at = 0; at < numbers.length; at += 2) this.#parents.set(Number(numbers[at]), numbers[at + 1] ?? null);
    for (const kid of this.objects.list(node.get('Kids'))) this.#readParents(kid);
  }

  #readPages(value: Value | undefined): void {
    const node = this.objects.dictionary(value);
    if (this.objects.name(node.get('Type')) === 'Page' && value instanceof Reference)
      this.pages.push({ number: value.number, entries: node });
    for (const kid of this.objects.list(node.get('Kids'))) this.#readPages(kid);
  }

  #readElement(value: Value, parent: Element | undefined): void {
    const entries = this.objects.dictionary(value);
    const page = entries.get('Pg');
    const element: Element = {
      number: value instanceof Reference ? value.number : undefined,
      type: this.objects.name(entries.get('S')) ?? '',
      entries,
      parent,
      kids: [],
      lang: this.objects.text(entries.get('Lang')) ?? parent?.lang ?? this.objects.text(this.catalog.get('Lang')),
      marks: [],
      annotations: [],
    };
    this.elements.push(element);
    parent?.kids.push(element);
    for (const kid of this.objects.list(entries.get('K'))) this.#readKid(kid, element, page);
  }

  #readKid(kid: Value, element: Element, page: Value | undefined): void {
    const mark = (id: Value | undefined, on: Value | undefined) => {
      if (!(typeof id === 'number' && on instanceof Reference)) throw new Error('Marked content has no page.');
      element.marks.push({ page: on.number, id });
      this.#owners.set(`${on.number} ${id}`, element);
    };
    const entries = this.objects.dictionary(kid);
    const type = this.objects.name(entries.get('Type'));
    const object = entries.get('Obj');
    if (typeof kid === 'number') mark(kid, page);
    else if (type === 'MCR') mark(entries.get('MCID'), entries.get('Pg') ?? page);
    else if (type === 'OBJR' && object instanceof Reference) element.annotations.push(object.number);
    else this.#readElement(kid, element);
  }

  #readContent(page: number, content: string, resources: Dictionary, outer: Painted['tags']): void {
    const reader = new Reader(content);
    let operands: Value[] = [];
    const tags = [...outer];
    let font: Font | undefined;
    const resource = (kind: string, name: Value | undefined) =>
      this.objects.dictionary(resources.get(kind)).get(name instanceof Name ? name.name : '');
    for (let value = reader.next(); value !== undefined; value = reader.next()) {
      if (!(value instanceof Operator)) {
        operands.push(value);
        continue;
      }
      const [first] = operands;
      const { name } = value;
      if (name === 'BDC' || name === 'BMC') tags.push(this.#tagOf(operands));
      else if (name === 'EMC') {
        if (tags.length === outer.length) throw new Error('EMC without BDC');
        tags.pop();
      } else if (name === 'Tf') font = this.#fontOf(resource('Font', first));
      else if (name === 'Do') this.#readForm(page, resource('XObject', first), tags);
      if (painting.test(name)) {
        const text = /^(?:Tj|TJ|'|")$/.test(name) && font ? { font, codes: codesOf(operands) } : undefined;
        this.painted.push({ page, operator: name, tags: [...tags], text });
      }
      operands = [];
    }
    if (tags.length > outer.length) throw new Error('BDC without EMC');
  }

  #tagOf([tag, properties]: readonly Value[]) {
    const entries = this.objects.dictionary(properties);
    const id = entries.get('MCID');
    return {
      tag: this.objects.name(tag) ?? '',
      id: typeof id === 'number' ? id : undefined,
      lang: this.objects.text(entries.get('Lang')),
      isPagination: this.objects.name(entries.get('Type')) === 'Pagination',
    };
  }

  #readForm(page: number, value: Value | undefined, tags: Painted['tags']): void {
    const entries = this.objects.dictionary(value);
    if (this.objects.name(entries.get('Subtype')) !== 'Form' || !(value instanceof Reference)) return;
    const content = this.objects.stream(value)?.toString('latin1') ?? '';
    if (content.includes('/MCID')) this.formsWithMarks.push(`object ${value.number}`);
    this.usedForms.push(value.number);
    this.#readContent(page, content, this.objects.dictionary(entries.get('Resources')), tags);
  }

  #fontOf(value: Value | undefined): Font {
    if (!(value instanceof Reference)) throw new Error('A font is no object of its own.');
    const known = this.fonts.get(value.number);
    if (known) return known;
    const entries = this.objects.dictionary(value);
    const [first] = this.objects.list(entries.get('DescendantFonts'));
    const descendant = this.objects.dictionary(first);
    const descriptor = this.objects.dictionary(descendant.get('FontDescriptor'));
    const program = this.objects.stream(descriptor.get('FontFile2'));
    const font: Font = {
      number: value.number,
      entries,
      descendant,
      descriptor,
      unicode: unicodeOf(this.objects.stream(entries.get('ToUnicode'))?.toString('latin1') ?? ''),
      widthOf: widthsOf(this.objects.list(descendant.get('W')), Number(descendant.get('DW') ?? 1000)),
      program: program && readTrueType(program),
    };
    this.fonts.set(value.number, font);
    return font;
  }
}

/** Two bytes each, as all fonts of Chromium's PDFs have the encoding Identity-H. */
function codesOf(operands: readonly Value[]): number[] {
  const strings = operands.flat().filter(value => value instanceof PdfString);
  return strings.flatMap(({ bytes }) =>
    Array.from({ length: bytes.length / 2 }, (_, at) => bytes.charCodeAt(2 * at) * 256 + bytes.charCodeAt(2 * at + 1)),
  );
}

function unicodeOf(map: string): Map<number, string> {
  const unicode = new Map<number, string>();
  const body = map.slice(map.indexOf('endcodespacerange'));
  const decoded = (hex: string) => Buffer.from(hex, 'hex').swap16().toString('utf16le');
  for (const [, from = '', to = '', last] of body.matchAll(/<(\w{4})> <(\w+)>(?: <(\w+)>)?/g)) {
    const start = Number.parseInt(from, 16);
    if (last === undefined) unicode.set(start, decoded(to));
    for (let code = start; last !== undefined && code <= Number.parseInt(to, 16); code++)
      unicode.set(code, String.fromCharCode(decoded(last).charCodeAt(0) + code - start));
  }
  return unicode;
}

/** ISO 32000-1, 9.7.4.3. */
function widthsOf(list: readonly Value[], initial: number): (code: number) => number {
  const widths = new Map<number, number>();
  for (let at = 0; at < list.length; ) {
    const from = Number(list[at]);
    const next = list[at + 1];
    if (Array.isArray(next)) for (const [index, width] of next.entries()) widths.set(from + index, Number(width));
    else for (let code = from; code <= Number(next); code++) widths.set(code, Number(list[at + 2]));
    at += Array.isArray(next) ? 2 : 3;
  }
  return code => widths.get(code) ?? initial;
}

function readTrueType(font: Buffer): NonNullable<Font['program']> {
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + 16 * font.readUInt16BE(4); at += 16)
    tables.set(font.toString('latin1', at, at + 4), font.readUInt32BE(at + 8));
  const at = (table: string, offset: number) => (tables.get(table) ?? Number.NaN) + offset;
  const metrics = font.readUInt16BE(at('hhea', 34));
  return {
    glyphs: font.readUInt16BE(at('maxp', 4)),
    unitsPerEm: font.readUInt16BE(at('head', 18)),
    advance: glyph => font.readUInt16BE(at('hmtx', 4 * Math.min(glyph, metrics - 1))),
  };
}
