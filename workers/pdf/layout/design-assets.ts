/** Loads what all brands share: compiled templates, styles, icons and fonts. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { classicDesign } from './classic-design.ts';
import type { Asset, DesignDefinition } from './design.ts';
import { iconReference, loadIcons } from './icons.ts';
import { newDesign } from './new-design.ts';

const templates = new URL('../../../templates/', import.meta.url);
/** The folders whose code determines what a page shows. */
const codeFolders = [new URL('./', import.meta.url), new URL('../../../core/values/', import.meta.url)];
const origin = 'https://brochure.invalid';

export type CompiledDesign = Awaited<ReturnType<typeof compileDesign>>;
export type DesignAssets = Awaited<ReturnType<typeof loadDesignAssets>>;

export const defaultBrandFile = new URL('brand.json', templates);

/** @throws Error for a missing or invalid template or font */
export async function loadDesignAssets() {
  const fontFolder = new URL('pdf/fonts/', templates);
  return {
    designs: { classic: await compileDesign(classicDesign), new: await compileDesign(newDesign) },
    icons: await loadIcons(),
    fonts: await loadFonts(fontFolder),
    fontStyles: await readFile(new URL('fonts.css', fontFolder), 'utf8'),
    /** sha256 of the layout code. */
    codeHash: await hashOfFolders(codeFolders),
  };
}

async function compileDesign(definition: DesignDefinition) {
  const folder = new URL(`pdf/${definition.name}/`, templates);
  const coverFolder = new URL('pdf/cover/', templates);
  const source = await definition.source(folder);
  const cover = await readFile(new URL('page.hbs', coverFolder), 'utf8');
  const styles = [folder, coverFolder].map(parent => readFile(new URL('styles.css', parent), 'utf8'));
  return {
    definition,
    source: source + cover,
    styles: (await Promise.all(styles)).join('\n'),
    template: compile(source, cover),
  };
}

/** Strict: a template that names a missing member throws instead of printing nothing. */
function compile(source: string, cover: string) {
  const handlebars = Handlebars.create();
  // Without a colour, the second argument is Handlebars' options object.
  handlebars.registerHelper(
    'icon',
    (name: string, colour: unknown) =>
      new Handlebars.SafeString(iconReference(name, typeof colour === 'string' ? colour : undefined)),
  );
  handlebars.registerPartial('cover', handlebars.compile(cover, { strict: true, noEscape: false }));
  return handlebars.compile<object>(source, { strict: true, noEscape: false });
}

async function loadFonts(folder: URL): Promise<Map<string, Asset>> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.woff2')).sort();
  const fonts = files.map(async file => {
    const body = await readFile(new URL(file, folder));
    return [`${origin}/fonts/${file}`, { body, contentType: 'font/woff2' }] as const;
  });
  return new Map(await Promise.all(fonts));
}

async function hashOfFolders(folders: readonly URL[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(await readFile(file));
  }
  return hash.digest('hex');
}
