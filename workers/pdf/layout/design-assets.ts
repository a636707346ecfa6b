/** Loads what all brands share: compiled templates, styles, icons and fonts. */
import { readdir, readFile } from 'node:fs/promises';
import Handlebars from 'handlebars';
import { z } from 'zod';
import { templateFolder } from '../../../core/runtime/discover.ts';
import { sourceHash } from '../../../core/runtime/module-files.ts';
import { classicDesign } from './classic-design.ts';
import type { Asset, DesignDefinition } from './design.ts';
import { iconReference, loadIcons, ruleDrawing } from './icons.ts';
import { newDesign } from './new-design.ts';

/** The folders whose code determines what a page shows. */
const codeFolders = ['workers/pdf/layout', 'core/values'];
const origin = 'https://brochure.invalid';

export type CompiledDesign = Awaited<ReturnType<typeof compileDesign>>;
export type DesignAssets = Awaited<ReturnType<typeof loadDesignAssets>>;

export const defaultBrandFile = new URL('brand.json', templateFolder);

const amenitiesFile = new URL('pdf/amenities.json', templateFolder);
/** By name in lower case. */
const ArabicAmenities = z.record(z.string(), z.string());

/** @throws Error for a missing or invalid template or font */
export async function loadDesignAssets() {
  const fontFolder = new URL('pdf/fonts/', templateFolder);
  return {
    designs: { classic: await compileDesign(classicDesign), new: await compileDesign(newDesign) },
    icons: await loadIcons(),
    arabicAmenities: ArabicAmenities.parse(JSON.parse(await readFile(amenitiesFile, 'utf8'))),
    fonts: await loadFonts(fontFolder),
    fontStyles: await readFile(new URL('fonts.css', fontFolder), 'utf8'),
    codeHash: await sourceHash(codeFolders),
  };
}

async function compileDesign(definition: DesignDefinition) {
  const folder = new URL(`pdf/${definition.name}/`, templateFolder);
  const coverFolder = new URL('pdf/cover/', templateFolder);
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
  handlebars.registerHelper(
    'rule',
    (colour: string, end: unknown) => new Handlebars.SafeString(ruleDrawing(colour, end === 'end')),
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
