import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { iconReference, iconSheet, loadIcons } from '../../../../../workers/pdf/layout/icons.ts';
import { qrOf } from '../../../../../workers/pdf/layout/view/links.ts';
import { extractSvg } from '../../../../../workers/pdf/print/extract-svg.ts';

const drawing = (shapes: string, more = 'viewBox="0 0 24 24" fill="none" stroke="currentColor"') =>
  `<svg class="icon" color="#FF0080" ${more}>${shapes}</svg>`;

/** The PDF operators of the only drawing. */
function operatorsOf(svg: string): string[] {
  const [replacement, ...others] = extractSvg(svg).drawings.values();
  expect(others).toEqual([]);
  return inflateSync(replacement?.body ?? Buffer.alloc(0))
    .toString('latin1')
    .trimEnd()
    .split('\n');
}

describe('extractSvg', () => {
  it('replaces a drawing by an image with its class and label', () => {
    const code = '<svg class="qr-code" color="#000000" viewBox="0 0 3 3" role="img" aria-label="Map &amp; place">';
    const { html, drawings } = extractSvg(`<a>${code}<path fill="currentColor" d="M0 0h2v1h-2z"/></svg></a>`);
    const [url] = drawings.keys();
    expect(html).toBe(`<a><img class="qr-code" alt="Map &amp; place" src="${url}"></a>`);
  });

  it('returns a repeated icon once', async () => {
    const sheet = iconSheet(await loadIcons(), ['bath']);
    const { html, drawings } = extractSvg(sheet + iconReference('bath', '#8A5A2B').repeat(3));
    expect(drawings.size).toBe(1);
    expect(html.match(/<img class="icon" alt=""/g)).toHaveLength(3);
  });

  it('returns an icon in two colours twice', async () => {
    const sheet = iconSheet(await loadIcons(), ['bath']);
    const icons = iconReference('bath', '#8A5A2B') + iconReference('bath', '#112233');
    expect(extractSvg(sheet + icons).drawings.size).toBe(2);
  });

  it('leaves drawings that inherit their colour in the document', () => {
    const html = iconReference('bath');
    expect(extractSvg(html)).toEqual({ html, drawings: new Map() });
  });
});

describe('an extracted drawing', () => {
  it('has its colour and its stroke', () => {
    expect(
      operatorsOf(
        drawing('<path d="M1 2h3"/>', 'viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.4"'),
      ),
    ).toEqual(['1 0 0.501961 RG 1 0 0.501961 rg 1.4 w 0 J 0 j 4 M', '1 2 m', '4 2 l', 'S']);
  });

  it.each([
    ['a line', '<line x1="1" x2="3" y1="2" y2="4"/>', ['1 2 m', '3 4 l', 'S']],
    ['a path of relative lines', '<path d="m1 1 2 2-1 4z"/>', ['1 1 m', '3 3 l', '2 7 l', 'h', 'S']],
    ['smooth curves', '<path d="M0 0c1 0 2 1 2 2s1 2 2 2"/>', ['0 0 m', '1 0 2 1 2 2 c', '2 3 3 4 4 4 c', 'S']],
    ['a plain rectangle', '<rect x="1" y="2" width="3" height="4"/>', ['1 2 m', '4 2 l', '4 6 l', '1 6 l', 'h', 'S']],
    ['a polyline', '<polyline points="1 2 3 4 5 4"/>', ['1 2 m', '3 4 l', '5 4 l', 'S']],
    ['a polygon', '<polygon points="1,2 3,4 5,4"/>', ['1 2 m', '3 4 l', '5 4 l', 'h', 'S']],
    ['a filled path', '<path fill="currentColor" d="M1 1h1"/>', ['1 1 m', '2 1 l', 'B']],
  ])('has %s', (_, shapes, operators) => {
    expect(operatorsOf(drawing(shapes)).slice(1)).toEqual(operators);
  });

  it('has a circle as curves that end where they start', () => {
    const [, start, ...curves] = operatorsOf(drawing('<circle cx="12" cy="12" r="10"/>'));
    expect(start).toBe('2 12 m');
    expect(curves.at(-3)).toMatch(/ 2 12 c$/);
    expect(curves.slice(-2)).toEqual(['h', 'S']);
  });

  it('has rounded corners with their radius', () => {
    const operators = operatorsOf(drawing('<rect x="2" y="4" width="20" height="16" rx="2"/>'));
    expect(operators).toContain('20 4 l');
    expect(operators.filter(each => each.endsWith(' c'))).toHaveLength(4);
    expect(operators.some(each => each.endsWith(' 22 6 c'))).toBe(true);
  });

  it('has a QR code as rectangles', () => {
    const { viewBox, path } = qrOf('https://example.com/1');
    const operators = operatorsOf(
      `<svg class="qr-code" color="#000000" viewBox="${viewBox}"><path fill="currentColor" d="${path}"/></svg>`,
    );
    expect(operators.slice(0, 2)).toEqual(['0 0 0 RG 0 0 0 rg 1 w 0 J 0 j 4 M', '0 0 7 1 re']);
    expect(operators.filter(each => each.endsWith(' re'))).toHaveLength(path.split('M').length - 1);
    expect(operators.at(-1)).toBe('f');
  });

  it('fills the unit square of an image, with the y axis flipped', () => {
    const [replacement] = extractSvg(
      drawing('<path d="M0 0h1"/>', 'viewBox="-4 -4 40 20" fill="none"'),
    ).drawings.values();
    expect(replacement?.entries.get('BBox')).toBe('[-4 -4 36 16]');
    expect(replacement?.entries.get('Matrix')).toBe('[0.025 0 0 -0.05 0.1 0.8]');
  });

  it('has its line caps and joins', () => {
    const more = 'viewBox="0 0 9 9" fill="none" stroke="currentColor" stroke-linecap="square" stroke-linejoin="bevel"';
    expect(operatorsOf(drawing('<path d="M1 1h1"/>', more))[0]).toBe('1 0 0.501961 RG 1 0 0.501961 rg 1 w 2 J 2 j 4 M');
  });

  it.each([
    ['no viewBox', '<path d="M0 0h1"/>', 'fill="none"'],
    ['a text', '<text>5</text>', undefined],
    ['a rotated group', '<g transform="rotate(4)"><path d="M0 0h1"/></g>', undefined],
    ['another colour inside', '<path fill="red" d="M0 0h1"/>', undefined],
    ['a transparent shape', '<path opacity="0.5" d="M0 0h1"/>', undefined],
    ['a style', '<path d="M0 0h1"/>', 'viewBox="0 0 9 9" fill="none" style="opacity: 0.5"'],
  ])('stays in the document when it has %s', (_, shapes, more) => {
    const svg = drawing(shapes, more);
    expect(extractSvg(svg)).toEqual({ html: svg, drawings: new Map() });
  });
});

it('extracts every icon of the designs', async () => {
  const icons = await loadIcons();
  const references = [...icons.keys()].map(name => iconReference(name, '#8A5A2B'));
  const { drawings } = extractSvg([...icons.values(), ...references].join(''));
  expect(drawings.size).toBe(icons.size);
  expect(icons.size).toBeGreaterThan(40);
});
