/** The icons of the brochures (Lucide, ISC licence). A document defines each once as an SVG symbol. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { amenityIconNames } from './view/amenities.ts';
import { factIconNames } from './view/facts.ts';

/** Named in the templates. */
const pageIcons = ['phone', 'mail', 'message-circle', 'map-pin', 'globe'];

/** Thinner than Lucide's default of 2, to match the text at 4 to 6 mm. */
const strokeWidth = '1.4';

const locate = createRequire(import.meta.url);

/** `symbol` elements, by icon name. */
export async function loadIcons(): Promise<Map<string, string>> {
  const names = [...new Set([...pageIcons, ...factIconNames, ...amenityIconNames])];
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
 * A reference to a symbol, in `colour` or in the colour of the text around it. Icons with a colour are embedded in the PDF
 * once (print/extract-svg.ts). The style sheet sets width and height; they must be equal.
 */
export function iconReference(name: string, colour?: string): string {
  const coloured = colour === undefined ? '' : ` color="${colour}"`;
  return `<svg class="icon"${coloured} aria-hidden="true"><use href="#icon-${name}"/></svg>`;
}

/** A line thinner than a pixel: borders are rounded to whole pixels, so their weight depends on the position. */
export const ruleDrawing = (colour: string, end: boolean): string =>
  `<svg class="rule${end ? ' end' : ''}" color="${colour}" aria-hidden="true"><use href="#rule"/></svg>`;

const ruleSymbol =
  '<symbol id="rule" viewBox="0 0 100 1" preserveAspectRatio="none" fill="none" stroke="currentColor" stroke-width="0.5"><path d="M0 0.5h100"/></symbol>';

/** The symbols that a document refers to, in an invisible element. */
export function iconSheet(icons: ReadonlyMap<string, string>, used: Iterable<string>): string {
  const names = new Set([...pageIcons, ...used]);
  const symbols = [...names].map(name => icons.get(name) ?? '');
  return `<svg width="0" height="0" style="position:absolute" aria-hidden="true">${ruleSymbol}${symbols.join('')}</svg>`;
}
