/** Makes the designs ready to print: templates compiled, fonts and icons read, each design's version computed. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { classicDesign } from './classic-design.ts';
import type { Asset, DesignDefinition, DesignName } from './design.ts';
import { iconReference, loadIcons } from './icons.ts';
import type { DocumentView } from './listing-view.ts';
import { type BrandedDesigns, brandDesigns } from './make-design.ts';
import { newDesign } from './new-design.ts';

const templates = new URL('../../../templates/', import.meta.url);
const code = new URL('./', import.meta.url);
const origin = 'https://brochure.invalid';

/** A design's template and styles, still without a brand. */
export interface CompiledDesign {
  definition: DesignDefinition;
  source: string;
  styles: string;
  template(view: DocumentView): string;
}

/** What all brands have in common. */
export interface DesignRoom {
  designs: Record<DesignName, CompiledDesign>;
  icons: ReadonlyMap<string, string>;
  fonts: ReadonlyMap<string, Asset>;
  fontStyles: string;
  /** sha256 over the layout's own code, which decides the look as much as the templates do. */
  codeHash: string;
}

export const houseBrand = new URL('brand.json', templates);

/**
 * Read and compiled once, when a worker starts.
 * @throws Error when a template or font is missing or wrong.
 */
export async function loadDesignRoom(): Promise<DesignRoom> {
  const fontFolder = new URL('pdf/fonts/', templates);
  const icons = await loadIcons();
  return {
    designs: { classic: await compileDesign(classicDesign), new: await compileDesign(newDesign) },
    icons,
    fonts: await loadFonts(fontFolder),
    fontStyles: await readFile(new URL('fonts.css', fontFolder), 'utf8'),
    codeHash: await hashOfFolder(code),
  };
}

/**
 * Both designs of one brand.
 * @param brandFile the house's brand.json; its logo is found relative to it.
 * @throws ZodError when the brand file does not fit, Error when a template or font is missing.
 */
export async function loadDesigns(brandFile: URL = houseBrand): Promise<BrandedDesigns> {
  return await brandDesigns(await loadDesignRoom(), brandFile);
}

async function compileDesign(definition: DesignDefinition): Promise<CompiledDesign> {
  const folder = new URL(`pdf/${definition.name}/`, templates);
  const coverFolder = new URL('pdf/cover/', templates);
  const source = await definition.source(folder);
  const cover = await readFile(new URL('page.hbs', coverFolder), 'utf8');
  const styles = await Promise.all([folder, coverFolder].map(stylesOf));
  return {
    definition,
    source: source + cover,
    styles: styles.join('\n'),
    template: compile(source, cover),
  };
}

/** A field the template names and the view lacks is an error, not an empty place on the page. */
function compile(source: string, cover: string): CompiledDesign['template'] {
  const handlebars = Handlebars.create();
  handlebars.registerHelper('icon', (name: string, colour: unknown) => {
    // Handlebars passes its own options last.
    const given = typeof colour === 'string' ? colour : undefined;
    return new Handlebars.SafeString(iconReference(name, given));
  });
  handlebars.registerPartial('cover', handlebars.compile(cover, { strict: true, noEscape: false }));
  return handlebars.compile<DocumentView>(source, { strict: true, noEscape: false });
}

async function stylesOf(folder: URL): Promise<string> {
  return readFile(new URL('styles.css', folder), 'utf8');
}

async function loadFonts(folder: URL): Promise<Map<string, Asset>> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.woff2')).sort();
  const fonts = files.map(async file => {
    const body = await readFile(new URL(file, folder));
    return [`${origin}/fonts/${file}`, { body, contentType: 'font/woff2' }] as const;
  });
  return new Map(await Promise.all(fonts));
}

async function hashOfFolder(folder: URL): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(await readFile(file));
  return hash.digest('hex');
}
