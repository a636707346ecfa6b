/** The tags of a print with the structure of Chromium's. */
import { describe, expect, it } from 'vitest';
import { PdfStructureError } from '../../../../../workers/pdf/print/pdf-file.ts';
import { finishPdf } from '../../../../support/finish-pdf.ts';
import { smallPdf } from '../../../../support/small-pdf.ts';
import { type Element, TaggedPdf } from '../../../../support/tagged-pdf.ts';

const properties = { title: 'a', author: 'b', subject: 'c', creator: 'd', language: 'en', fingerprint: 'e' };

const stream = (data: string) => `<</Length ${data.length}>> stream\n${data}\nendstream`;
const text = (codes: string, y: number, inside = `<${codes}> Tj`) =>
  `BT\n/F5 12 Tf\n1 0 0 -1 50 ${y} Tm\n${inside}\nET\n`;
const map = 'begincmap\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n';
/** A Latin letter, an Arabic one, and the glyphs of another: its dots and its body. */
const characters = '4 beginbfchar\n<0001> <0041>\n<0002> <0628>\n<0003> <0000>\n<0004> <0000>\nendbfchar\nendcmap\n';

/** @param elements structure elements from object 9 on, the first under the root; the link is object 7 */
function printed(content: string, elements: readonly string[], annotation = '/URI (tel:+971)'): Buffer {
  return smallPdf(
    [
      '<</Type /Catalog\n/Pages 2 0 R\n/MarkInfo <</Marked true>>\n/StructTreeRoot 8 0 R\n/Lang (en)>>',
      '<</Type /Pages\n/Count 1\n/Kids [3 0 R]>>',
      '<</Type /Page\n/Resources <</Font <</F5 5 0 R>>>>\n/Annots [7 0 R]\n/Contents 4 0 R\n/StructParents 0\n/Tabs /S\n/Parent 2 0 R>>',
      stream(`q\n.75 0 0 -.75 0 842 cm\n${content}Q\n`),
      '<</Type /Font\n/Subtype /Type0\n/Encoding /Identity-H\n/DescendantFonts []\n/ToUnicode 6 0 R>>',
      stream(map + characters),
      `<</Type /Annot\n/Subtype /Link\n/A <</S /URI\n${annotation}>>\n/StructParent 100000>>`,
      '<</Type /StructTreeRoot\n/K 9 0 R\n/ParentTreeNextKey 1\n/ParentTree 10 0 R>>',
      elements[0] ?? '',
      '<</Type /ParentTree\n/Nums [0 [] 100000 9 0 R]>>',
      ...elements.slice(1),
    ],
    '/Root 1 0 R',
  );
}

const element = (type: string, parent: number, kids: string, more = '') =>
  `<</Type /StructElem\n/S /${type}${more}\n/P ${parent} 0 R\n/Pg 3 0 R\n/K ${kids}>>`;
const link = '<</Type /OBJR\n/Obj 7 0 R\n/Pg 3 0 R>>';
const finish = (pdf: Buffer, links?: ReadonlyMap<string, string>) =>
  new TaggedPdf(Buffer.concat(finishPdf(pdf, properties, undefined, links)));

/** Such as "Document(P(0) L(LI(LBody(1))))". */
function outline({ type, kids, marks, annotations }: Element): string {
  const inner = [...marks.map(({ id }) => id), ...annotations.map(() => 'link'), ...kids.map(outline)];
  return `${type}(${inner.join(' ')})`;
}

const box = (id: number) => `/NonStruct <</MCID ${id} >>BDC\n0 0 9 9 re\nf\nEMC\n`;
const words = (id: number, codes: string) => `/NonStruct <</MCID ${id} >>BDC\n${text(codes, 300)}EMC\n`;
const withLink = (...kids: string[]) => `[${kids.join(' ')} 11 0 R]`;
const linkElement = element('Link', 9, `[0 ${link}]`);

describe('the content of a page', () => {
  it('is an artifact when it is outside the structure, or shows neither text nor a figure', () => {
    const content = `0 0 5 5 re\nf\n${words(0, '0001')}${box(1)}/X1 Do\n${text('0001', 1110)}`;
    const pdf = finish(printed(content, [element('Document', 8, '[1 11 0 R]'), linkElement]));
    const tagsOf = pdf.painted.map(({ operator, tags }) => [operator, ...tags.map(({ tag }) => tag)].join(' '));
    expect(tagsOf).toEqual(['f Artifact', 'Tj Link', 'f Artifact', 'Do Artifact', 'Tj Artifact']);
    expect(pdf.painted.map(({ tags }) => tags[0]?.isPagination)).toEqual([false, false, false, true, true]);
    expect(outline(pdf.elements[0] as Element)).toBe('Document(P(Link(0 link)))');
  });

  it('has the language of its script, unless its element has it', () => {
    const content = words(0, '0001') + words(1, '0002') + words(2, '0002');
    const elements = [
      element('Document', 8, withLink('1', '12 0 R')),
      linkElement,
      element('P', 9, '2', '\n/Lang (ar)'),
    ];
    const pdf = finish(printed(content, elements));
    expect(pdf.painted.map(({ tags }) => tags.map(({ lang }) => lang))).toEqual([
      [undefined],
      [undefined, 'ar'],
      [undefined],
    ]);
  });

  it('maps to Unicode: a letter in two glyphs to its replacement text', () => {
    const inside = '/Span<</ActualText <FEFF0630> >> BDC\n<0003> Tj\n0 1 Td <0004> Tj\nEMC';
    const content = `/P <</MCID 0 >>BDC\n${text('', 300, inside)}EMC\n`;
    const pdf = finish(printed(content, [element('Document', 8, withLink()), linkElement]));
    expect(Object.fromEntries(pdf.fonts.get(5)?.unicode ?? [])).toEqual({ 1: 'A', 2: 'ب', 3: '\u200d', 4: 'ذ' });
  });
});

describe('the structure', () => {
  it('has bodies of list items, paragraphs, and no NonStruct elements', () => {
    const content = [0, 1, 2, 3, 4].map(id => words(id, '0001')).join('');
    const elements = [
      element('Document', 8, '[11 0 R 12 0 R 16 0 R]'),
      linkElement,
      element('L', 9, '[13 0 R 15 0 R]'),
      element('LI', 12, '[14 0 R 2]'),
      element('NonStruct', 13, '1'),
      element('LI', 12, '3'),
      element('NonStruct', 9, '[17 0 R]'),
      element('NonStruct', 16, '4', '\n/Lang (ar)'),
    ];
    const pdf = finish(printed(content, elements));
    expect(outline(pdf.elements[0] as Element)).toBe('Document(P(Link(0 link)) L(LI(LBody(1 2)) LI(LBody(3))) P(4))');
    expect(pdf.elements.at(-1)?.lang).toBe('ar');
  });

  it('gives figures the box of their image', () => {
    const content = `${words(0, '0001')}/Figure <</MCID 1 >>BDC\nq\n100 0 0 -50 20 80 cm\n/X1 Do\nQ\nEMC\n`;
    const figure = element('Figure', 9, '1', '\n/Alt (A \\(big\\) house)');
    const pdf = finish(printed(content, [element('Document', 8, withLink('12 0 R')), linkElement, figure]));
    const { entries } = pdf.elements.find(({ type }) => type === 'Figure') as Element;
    expect(pdf.objects.text(entries.get('Alt'))).toBe('A (big) house');
    expect(pdf.objects.dictionary(entries.get('A')).get('BBox')).toEqual([15, 782, 90, 819.5]);
  });

  it.each([
    ['its text in the document', new Map([['tel:+971', 'Call us']]), 'Call us'],
    ['its address without scheme', new Map<string, string>(), '+971'],
  ])('describes a link with %s', (_, links, description) => {
    const pdf = finish(printed(words(0, '0001'), [element('Document', 8, withLink()), linkElement]), links);
    expect(pdf.annotations().map(({ entries }) => pdf.objects.text(entries.get('Contents')))).toEqual([description]);
  });

  it.each([
    ['a link outside the structure', printed(words(0, '0001'), [element('Document', 8, '0')])],
    ['content without an element', printed(words(7, '0001'), [element('Document', 8, withLink()), linkElement])],
    ['an element of another form', printed(words(0, '0001'), ['<</S /Document /K {0}>>'])],
  ])('throws for %s', (_, pdf) => {
    expect(() => finishPdf(pdf, properties)).toThrow(PdfStructureError);
  });
});
