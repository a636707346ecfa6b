/** The icons of the brochures: one family (Lucide, ISC licence), one stroke, inlined as partials `{{> icon/phone}}`. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const iconNames = [
  'bed-double',
  'bath',
  'ruler-dimension-line',
  'car',
  'sofa',
  'phone',
  'mail',
  'message-circle',
  'map-pin',
  'globe',
];

/** Thinner than Lucide's own 2, to sit with the text weight at 4 to 6 mm. */
const strokeWidth = '1.4';

const locate = createRequire(import.meta.url);

/** SVG markup by partial name. Width and height are the style sheet's. */
export async function loadIcons(): Promise<Map<string, string>> {
  const icons = iconNames.map(async name => {
    const svg = await readFile(locate.resolve(`lucide-static/icons/${name}.svg`), 'utf8');
    return [`icon/${name}`, inlined(svg)] as const;
  });
  return new Map(await Promise.all(icons));
}

function inlined(svg: string): string {
  const drawing = svg
    .slice(svg.indexOf('>', svg.indexOf('<svg')) + 1)
    .replace(/\s+/g, ' ')
    .replace(/> </g, '><');
  return `<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="${strokeWidth}" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${drawing.trim()}`;
}
