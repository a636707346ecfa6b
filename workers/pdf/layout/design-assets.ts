/** Loads what all brands share: compiled templates, styles, icons and fonts. */
import { readdir, readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { templateFolder } from '../../../core/runtime/discover.ts';
import { sourceHash } from '../../../core/runtime/module-files.ts';
import { cardDesign } from './card-design.ts';
import { classicDesign } from './classic-design.ts';
import type { Asset, DesignDefinition } from './design.ts';
import { iconReference, loadIcons, ruleDrawing } from './icons.ts';
import { newDesign } from './new-design.ts';
import { scriptAssets, scriptVersions } from './script-fonts.ts';

/** The folders whose code determines the pages and their tags. */
const codeFolders = ['workers/pdf/layout', 'workers/pdf/print', 'workers/pdf/vocabulary', 'core/values'];
const origin = 'https://brochure.invalid';

/** Templates that the designs share: whole pages, and the mark of drafts. */
const sharedPages = ['cover', 'plans', 'draft'] as const;

export type CompiledDesign = Awaited<ReturnType<typeof compileDesign>>;
export type DesignAssets = Awaited<ReturnType<typeof loadDesignAssets>>;

export const defaultBrandFile = new URL('brand.json', templateFolder);

/** @throws Error for a missing or invalid template or font */
export async function loadDesignAssets() {
  const fontFolder = new URL('pdf/fonts/', templateFolder);
  return {
    designs: {
      classic: await compileDesign(classicDesign),
      new: await compileDesign(newDesign),
      card: await compileDesign(cardDesign),
    },
    icons: await loadIcons(),
    fonts: await loadFonts(fontFolder),
    scriptFonts: scriptAssets(),
    scriptVersions: scriptVersions(),
    fontStyles: await readFile(new URL('fonts.css', fontFolder), 'utf8'),
    bleedStyles: await readFile(new URL('pdf/bleed/styles.css', templateFolder), 'utf8'),
    bilingualFonts: await readFile(new URL('bilingual.css', fontFolder), 'utf8'),
    codeHash: await sourceHash(codeFolders),
  };
}

async function compileDesign(definition: DesignDefinition) {
  const folder = new URL(`pdf/${definition.name}/`, templateFolder);
  const shared = sharedPages.map(name => [name, new URL(`pdf/${name}/`, templateFolder)] as const);
  const source = await definition.source(folder);
  const partials = shared.map(
    async ([name, parent]) => [name, await readFile(new URL('page.hbs', parent), 'utf8')] as const,
  );
  const pages = new Map(await Promise.all(partials));
  const folders = [folder, ...shared.map(([, parent]) => parent)];
  const styles = folders.map(parent => readFile(new URL('styles.css', parent), 'utf8'));
  return {
    definition,
    source: [source, ...pages.values()].join(''),
    styles: (await Promise.all(styles)).join('\n'),
    template: compile(source, pages),
  };
}

/** Strict: a template that names a missing member throws instead of printing nothing. */
function compile(source: string, partials: ReadonlyMap<string, string>) {
  const handlebars = Handlebars.create();
  // Without a colour, the second argument is Handlebars' options object.
  handlebars.registerHelper(
    'icon',
    (name: string, colour: unknown) =>
      new Handlebars.SafeString(iconReference(name, typeof colour === 'string' ? colour : undefined)),
  );
  handlebars.registerHelper('breakable', (text: string) => new Handlebars.SafeString(breakable(text)));
  handlebars.registerHelper(
    'rule',
    (colour: string, end: unknown) => new Handlebars.SafeString(ruleDrawing(colour, end === 'end')),
  );
  for (const [name, page] of partials)
    handlebars.registerPartial(name, handlebars.compile(page, { strict: true, noEscape: false }));
  return handlebars.compile<object>(source, { strict: true, noEscape: false });
}

const webAddress = /^[\w-]+(?:\.[\w-]+)+\//;

/** With places for line breaks in an address, after its delimiters. */
function breakable(text: string): string {
  const escaped = Handlebars.escapeExpression(text);
  return webAddress.test(text) ? escaped.replace(/\/|\?|&#x3D;|&amp;/g, '$&<wbr>') : escaped;
}

async function loadFonts(folder: URL): Promise<Map<string, Asset>> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.woff2')).sort();
  const fonts = files.map(async file => {
    const body = await readFile(new URL(file, folder));
    return [`${origin}/fonts/${file}`, { body, contentType: 'font/woff2' }] as const;
  });
  return new Map(await Promise.all(fonts));
}
