/**
 * The failure conditions of the Matterhorn Protocol 1.02 (PDF/UA-1) that software can determine. Those for kinds of objects that
 * brochures never have (forms, media, simple fonts …) are checked by the absence of such objects.
 */
import { Dictionary, Reference, type Value } from './pdf-objects.ts';
import type { Element, Painted, TaggedPdf } from './tagged-pdf.ts';

export interface Condition {
  /** As in the protocol. */
  numbers: string;
  /** What a conforming file has. */
  requirement: string;
  failures: (pdf: TaggedPdf) => string[];
}

const grouping = 'Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private';
const block = 'P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot';
const inline = 'Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form';
const standardTypes = new Set(`${grouping} ${block} ${inline}`.split(' '));

const nameOf = ({ type, number }: Element) => `${type} (object ${number})`;
const placeOf = ({ page, operator }: Painted) => `${operator} on the page object ${page}`;
const isArtifact = ({ tag }: { tag: string }) => tag === 'Artifact';
const isTagged = ({ id }: { id: number | undefined }) => id !== undefined;
const once = (failures: readonly string[]) => [...new Set(failures)];

const elementsWith = (test: (element: Element, pdf: TaggedPdf) => boolean) => (pdf: TaggedPdf) =>
  pdf.elements.filter(element => test(element, pdf)).map(nameOf);
const paintedWith = (test: (painted: Painted, pdf: TaggedPdf) => boolean) => (pdf: TaggedPdf) =>
  once(pdf.painted.filter(painted => test(painted, pdf)).map(placeOf));
const when = (failed: boolean, failure: string) => (failed ? [failure] : []);

const known = new WeakMap<TaggedPdf, Dictionary[]>();

/** All dictionaries of the file, also nested ones. */
function dictionaries(pdf: TaggedPdf): Dictionary[] {
  const found: Dictionary[] = known.get(pdf) ?? [];
  if (found.length > 0) return found;
  known.set(pdf, found);
  const visit = (value: Value): void => {
    if (value instanceof Dictionary) found.push(value);
    if (value instanceof Dictionary || Array.isArray(value)) for (const inner of value.values()) visit(inner);
  };
  for (const number of pdf.objects.numbers) visit(pdf.objects.resolve(new Reference(number)));
  return found;
}

const noEntry =
  (...keys: string[]) =>
  (pdf: TaggedPdf) =>
    keys.filter(key => dictionaries(pdf).some(entries => entries.has(key)));

const noName =
  (key: string, ...names: string[]) =>
  (pdf: TaggedPdf) =>
    once(dictionaries(pdf).flatMap(entries => pdf.objects.name(entries.get(key)) ?? [])).filter(name =>
      names.includes(name),
    );

/** The structure of a parent and its kids, as in ISO 32000-1, tables 333, 336, 337 and 338. */
const nesting =
  (parents: Readonly<Record<string, RegExp>>, kids: Readonly<Record<string, RegExp>>) => (pdf: TaggedPdf) =>
    pdf.elements.flatMap(element => {
      const { type, parent, kids: children, marks } = element;
      const required = parents[type];
      const allowed = kids[type];
      const wrongParent = required !== undefined && !required.test(parent?.type ?? '');
      const wrongKids = allowed !== undefined && !allowed.test(children.map(kid => `${kid.type} `).join(''));
      return [
        ...when(wrongParent, `${nameOf(element)} in ${parent?.type}`),
        ...when(wrongKids, `${nameOf(element)} with ${children.map(kid => kid.type)}`),
        ...when(allowed !== undefined && marks.length > 0, `${nameOf(element)} with content of its own`),
      ];
    });

const altOf = (pdf: TaggedPdf, { entries }: Element) =>
  pdf.objects.text(entries.get('Alt')) || pdf.objects.text(entries.get('ActualText'));

const xmpOf = (pdf: TaggedPdf) => pdf.objects.stream(pdf.catalog.get('Metadata'))?.toString('utf8') ?? '';

function roleMapFailures(pdf: TaggedPdf, fails: (path: string[]) => boolean): string[] {
  const map = pdf.objects.dictionary(pdf.root.get('RoleMap'));
  const types = once([...pdf.elements.map(({ type }) => type), ...map.keys()]);
  return types.filter(type => {
    const path = [type];
    for (let next = pdf.objects.name(map.get(type)); next !== undefined; next = pdf.objects.name(map.get(next))) {
      path.push(next);
      if (path.indexOf(next) < path.length - 1) break;
    }
    return fails(path);
  });
}

function headingFailures(pdf: TaggedPdf): string[] {
  const levels = pdf.elements.flatMap(({ type }) => /^H([1-6])$/.exec(type)?.[1] ?? []).map(Number);
  return levels.flatMap((level, at) => when(at > 0 && level > (levels[at - 1] ?? 0) + 1, `H${level} as heading ${at}`));
}

/** The language of text: the element's, unless marked content inside has another one. */
const languageOf = (painted: Painted, pdf: TaggedPdf) =>
  painted.tags.findLast(({ lang }) => lang !== undefined)?.lang ?? pdf.ownerOf(painted)?.lang;

const glyphFailures = (fails: (code: number, painted: Painted) => boolean) => (pdf: TaggedPdf) =>
  once(
    pdf.painted.flatMap(painted =>
      (painted.text?.codes ?? [])
        .filter(code => fails(code, painted))
        .map(code => `glyph ${code} of ${pdf.objects.name(painted.text?.font.entries.get('BaseFont'))}`),
    ),
  );

const annotationsWith =
  (test: (entries: Dictionary, pdf: TaggedPdf, page: Dictionary) => boolean) => (pdf: TaggedPdf) =>
    pdf
      .annotations()
      .filter(({ entries, page }) => test(entries, pdf, page))
      .map(({ number }) => `annotation ${number}`);

const subtypeOf = (entries: Dictionary, pdf: TaggedPdf) => pdf.objects.name(entries.get('Subtype')) ?? '';

function isInLink(entries: Dictionary, pdf: TaggedPdf): boolean {
  const key = entries.get('StructParent');
  const parent = typeof key === 'number' ? pdf.parentOf(key) : null;
  const element = pdf.elements.find(({ number }) => parent instanceof Reference && number === parent.number);
  return (
    element?.type === 'Link' &&
    element.annotations.some(number => pdf.objects.resolve(new Reference(number)) === entries)
  );
}

const fontsWith = (test: (font: Painted['text'] & object, pdf: TaggedPdf) => boolean) => (pdf: TaggedPdf) =>
  [...pdf.fonts.values()].filter(font => test({ font, codes: [] }, pdf)).map(({ number }) => `font ${number}`);

export const conditions: readonly Condition[] = [
  {
    numbers: '01-003, 01-004',
    requirement: 'artifacts and tagged content are not inside each other',
    failures: paintedWith(({ tags }) => tags.some(isArtifact) && tags.some(isTagged)),
  },
  {
    numbers: '01-005, 28-018',
    requirement: 'content is tagged or an artifact',
    failures: paintedWith((painted, pdf) => !painted.tags.some(isArtifact) && pdf.ownerOf(painted) === undefined),
  },
  {
    numbers: '01-007',
    requirement: 'no tags are suspect',
    failures: pdf => {
      const info = pdf.objects.dictionary(pdf.catalog.get('MarkInfo'));
      return [...when(info.get('Suspects') === true, 'Suspects'), ...when(info.get('Marked') !== true, 'not marked')];
    },
  },
  {
    numbers: '02-001',
    requirement: 'each structure type is a standard one or mapped to one',
    failures: pdf => roleMapFailures(pdf, path => !standardTypes.has(path.at(-1) ?? '')),
  },
  {
    numbers: '02-003',
    requirement: 'the role map has no cycles',
    failures: pdf => roleMapFailures(pdf, path => new Set(path).size < path.length),
  },
  {
    numbers: '02-004',
    requirement: 'the role map maps no standard type',
    failures: pdf => roleMapFailures(pdf, path => path.length > 1 && standardTypes.has(path[0] ?? '')),
  },
  { numbers: '06-001', requirement: 'there are XMP metadata', failures: pdf => when(xmpOf(pdf) === '', 'none') },
  {
    numbers: '06-002',
    requirement: 'the metadata identify PDF/UA-1',
    failures: pdf => {
      const isIdentified = /<pdfuaid:part>1<\/pdfuaid:part>/.test(xmpOf(pdf));
      const isDeclared = xmpOf(pdf).includes('xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/"');
      return when(!isIdentified || !isDeclared, xmpOf(pdf));
    },
  },
  {
    numbers: '06-003',
    requirement: 'the metadata have a title',
    failures: pdf => when(!/<dc:title>.*<rdf:li[^>]*>[^<]+</s.test(xmpOf(pdf)), xmpOf(pdf)),
  },
  {
    numbers: '07-001, 07-002',
    requirement: 'viewers display the title',
    failures: pdf =>
      when(pdf.objects.dictionary(pdf.catalog.get('ViewerPreferences')).get('DisplayDocTitle') !== true, 'false'),
  },
  {
    numbers: '09-004',
    requirement: 'tables consist of rows of cells',
    failures: nesting(
      {
        TR: /^(Table|THead|TBody|TFoot)$/,
        THead: /^Table$/,
        TBody: /^Table$/,
        TFoot: /^Table$/,
        TH: /^TR$/,
        TD: /^TR$/,
      },
      {
        Table: /^(Caption )?((TR )+|(THead )?(TBody )+(TFoot )?)(Caption )?$/,
        TR: /^((TH|TD) )+$/,
        THead: /^(TR )+$/,
        TBody: /^(TR )+$/,
        TFoot: /^(TR )+$/,
      },
    ),
  },
  {
    numbers: '09-005',
    requirement: 'lists consist of items with label and body',
    failures: nesting({ LI: /^L$/, LBody: /^LI$/ }, { L: /^(Caption )?((L|LI) )+$/, LI: /^(Lbl )*(LBody )+$/ }),
  },
  {
    numbers: '09-006, 09-007, 09-008',
    requirement: 'there are no tables of contents, Ruby or Warichu elements with another syntax',
    failures: elementsWith(({ type }) => /^(TOCI?|Ruby|R[BTP]|Warichu|W[TP])$/.test(type)),
  },
  {
    numbers: '10-001, 17-003, 31-027',
    requirement: 'each character maps to Unicode',
    failures: glyphFailures((code, { text }) => !text?.font.unicode.get(code)),
  },
  {
    numbers: '11-001, 11-002, 11-003, 11-004, 11-006',
    requirement: 'texts, alternatives, bookmarks, links and metadata have a language',
    failures: pdf => {
      const langs = [pdf.catalog.get('Lang'), ...pdf.elements.flatMap(({ entries }) => entries.get('Lang') ?? [])];
      return langs.map(lang => pdf.objects.text(lang) ?? 'none').filter(lang => !/^[a-z]{2}(-[A-Z]{2})?$/.test(lang));
    },
  },
  {
    numbers: '11-007 (part)',
    requirement: 'Arabic and Latin text is in a language of its script',
    failures: paintedWith((painted, pdf) => {
      if (painted.text === undefined || painted.tags.some(isArtifact)) return false;
      const text = painted.text.codes.map(code => painted.text?.font.unicode.get(code)).join('');
      const isArabic = /\p{Script=Arabic}/u.test(text);
      if (!isArabic && !/\p{Script=Latin}/u.test(text)) return false;
      return isArabic !== (languageOf(painted, pdf) === 'ar');
    }),
  },
  {
    numbers: '13-004, 17-002',
    requirement: 'figures and formulas have an alternative text',
    failures: elementsWith((element, pdf) => /^(Figure|Formula)$/.test(element.type) && !altOf(pdf, element)),
  },
  {
    numbers: 'ISO 32000-1, table 344',
    requirement: 'figures have a bounding box on their page',
    failures: elementsWith(({ type, entries }, pdf) => {
      const boxes = pdf.objects.list(entries.get('A')).map(value => pdf.objects.dictionary(value).get('BBox'));
      const [left, bottom, right, top] = pdf.objects.list(boxes[0]).map(Number);
      const isBox = left !== undefined && bottom !== undefined && right !== undefined && top !== undefined;
      return type === 'Figure' && !(isBox && left >= -1 && bottom >= -1 && left < right && bottom < top && top < 843);
    }),
  },
  {
    numbers: '14-002',
    requirement: 'the first heading is an H1',
    failures: pdf => {
      const first = pdf.elements.find(({ type }) => /^H[1-6]$/.test(type));
      return when(first?.type !== 'H1', first?.type ?? 'none');
    },
  },
  { numbers: '14-003', requirement: 'heading levels are not skipped', failures: headingFailures },
  {
    numbers: '14-006, 14-007',
    requirement: 'headings have numbers',
    failures: elementsWith(({ type }) => type === 'H'),
  },
  {
    numbers: '15-003',
    requirement: 'header cells of tables have a scope',
    failures: elementsWith(({ type, entries }, pdf) => {
      const attributes = pdf.objects.list(entries.get('A')).map(value => pdf.objects.dictionary(value));
      return type === 'TH' && !attributes.some(owned => pdf.objects.name(owned.get('Scope')) !== undefined);
    }),
  },
  {
    numbers: '19-003, 19-004',
    requirement: 'there are no notes',
    failures: elementsWith(({ type }) => type === 'Note'),
  },
  {
    numbers: '20-001, 20-002, 20-003, 21-001, 25-001',
    requirement: 'there are no layers, embedded files or forms',
    failures: noEntry('OCProperties', 'EF', 'AcroForm', 'XFA'),
  },
  { numbers: '26-001, 26-002', requirement: 'the file is not encrypted', failures: noEntry('Encrypt') },
  {
    numbers: '28-002, 28-005, 28-006, 28-007, 28-010, 28-014, 28-015, 28-016, 28-017',
    requirement: 'the only annotations are links',
    failures: annotationsWith((entries, pdf) => subtypeOf(entries, pdf) !== 'Link'),
  },
  {
    numbers: '28-004, 28-012',
    requirement: 'links have a description',
    failures: annotationsWith((entries, pdf) => !pdf.objects.text(entries.get('Contents'))),
  },
  {
    numbers: '28-008, 28-009',
    requirement: 'the tab order of pages with links is that of the structure',
    failures: annotationsWith((_, pdf, page) => pdf.objects.name(page.get('Tabs')) !== 'S'),
  },
  {
    numbers: '28-011',
    requirement: 'links are in Link elements',
    failures: annotationsWith((entries, pdf) => !isInLink(entries, pdf)),
  },
  { numbers: '30-001', requirement: 'there are no reference XObjects', failures: noEntry('Ref') },
  {
    numbers: '30-002',
    requirement: 'drawings that are used several times have no tagged content',
    failures: pdf => pdf.formsWithMarks,
  },
  {
    numbers: '31-001, 31-002, 31-003, 31-006, 31-007, 31-008, 31-012, 31-013, 31-017 to 31-026',
    requirement: 'all fonts are composite, with the encoding Identity-H',
    failures: fontsWith(({ font: { entries } }, pdf) => {
      const isComposite = pdf.objects.name(entries.get('Subtype')) === 'Type0';
      return !isComposite || pdf.objects.name(entries.get('Encoding')) !== 'Identity-H';
    }),
  },
  {
    numbers: '31-004, 31-005',
    requirement: 'the glyphs of a font are numbered as its characters',
    failures: fontsWith(
      ({ font: { descendant } }, pdf) => pdf.objects.name(descendant.get('CIDToGIDMap')) !== 'Identity',
    ),
  },
  {
    numbers: '31-009',
    requirement: 'fonts are embedded',
    failures: fontsWith(({ font }) => font.program === undefined),
  },
  {
    numbers: '31-011',
    requirement: 'the fonts have each glyph',
    failures: glyphFailures((code, { text }) => code >= (text?.font.program?.glyphs ?? 0)),
  },
  { numbers: '31-014, 31-015', requirement: 'there is no list of glyphs', failures: noEntry('CIDSet', 'CharSet') },
  {
    numbers: '31-016',
    requirement: 'the width of each glyph is that of its font',
    failures: glyphFailures((code, { text }) => {
      const program = text?.font.program;
      if (text === undefined || program === undefined) return false;
      return Math.abs(text.font.widthOf(code) - (1000 * program.advance(code)) / program.unitsPerEm) > 1;
    }),
  },
  {
    numbers: '31-028, 31-029',
    requirement: 'no character maps to U+0000, U+FEFF or U+FFFE',
    failures: pdf =>
      [...pdf.fonts.values()].flatMap(({ number, unicode }) =>
        [...unicode].flatMap(([code, text]) => when(/[\0\ufeff\ufffe]/.test(text), `glyph ${code} of font ${number}`)),
      ),
  },
  { numbers: '31-030', requirement: 'no text shows .notdef', failures: glyphFailures(code => code === 0) },
  {
    numbers: 'ISO 32000-1, 14.7.4.4',
    requirement: 'the parent tree leads from content to its element',
    failures: pdf =>
      pdf.elements.flatMap(element =>
        element.marks.flatMap(({ page, id }) => {
          const key = pdf.pages.find(({ number }) => number === page)?.entries.get('StructParents');
          const parents = pdf.objects.list(pdf.parentOf(Number(key)));
          const parent = parents[id];
          return when(!(parent instanceof Reference && parent.number === element.number), `${nameOf(element)}: ${id}`);
        }),
      ),
  },
  {
    numbers: 'ISO 14289-1, 7.17',
    requirement: 'there are bookmarks',
    failures: pdf => when(!(pdf.catalog.get('Outlines') instanceof Reference), 'none'),
  },
  {
    numbers: '28-003 (part)',
    requirement: 'the actions of links are addresses or places in the document',
    failures: noName('S', 'JavaScript', 'Launch', 'GoToR', 'SubmitForm'),
  },
];
