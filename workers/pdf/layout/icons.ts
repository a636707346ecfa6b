/** The icons of the brochures: one family (Lucide, ISC licence), one stroke, drawn once a document and referred to. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { amenityIconNames } from './view/amenity-icons.ts';

/** What the templates name themselves. */
const pageIcons = ['phone', 'mail', 'message-circle', 'map-pin', 'globe'];

const factIcons = [
  'bed-double',
  'bath',
  'ruler-dimension-line',
  'car',
  'sofa',
  'key-round',
  'hand-coins',
  'users',
  'moon',
  'layout-panel-left',
  'map',
  'building-2',
  'scroll-text',
];

/** Thinner than Lucide's own 2, to sit with the text weight at 4 to 6 mm. */
const strokeWidth = '1.4';

const locate = createRequire(import.meta.url);

/** `symbol` elements by icon name. */
export async function loadIcons(): Promise<Map<string, string>> {
  const names = [...new Set([...pageIcons, ...factIcons, ...amenityIconNames])];
  const icons = names.map(async name => {
    const svg = await readFile(locate.resolve(`lucide-static/icons/${name}.svg`), 'utf8');
    return [name, symbolOf(name, svg)] as const;
  });
  return new Map(await Promise.all(icons));
}

function symbolOf(name: string, svg: string): string {
  const drawing = svg
    .slice(svg.indexOf('>', svg.indexOf('<svg')) + 1, svg.lastIndexOf('</svg>'))
    .replace(/\s+/g, ' ')
    .replace(/> </g, '><');
  return `<symbol id="icon-${name}" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="${strokeWidth}" stroke-linecap="round" stroke-linejoin="round">${drawing.trim()}</symbol>`;
}

/**
 * Refers to an icon, in a colour or in that of the text around it. One with a colour of its own costs next to nothing in
 * a PDF (print/take-drawings.ts). Width and height are the style sheet's, and equal: a picture may stand for it.
 */
export function iconReference(name: string, colour?: string): string {
  const coloured = colour === undefined ? '' : ` color="${colour}"`;
  return `<svg class="icon"${coloured} aria-hidden="true"><use href="#icon-${name}"/></svg>`;
}

/** The icons that a page may refer to, drawn where nobody sees them. */
export function iconSheet(icons: ReadonlyMap<string, string>, used: Iterable<string>): string {
  const names = new Set([...pageIcons, ...used]);
  const symbols = [...names].map(name => icons.get(name) ?? '');
  return `<svg width="0" height="0" style="position:absolute" aria-hidden="true">${symbols.join('')}</svg>`;
}
