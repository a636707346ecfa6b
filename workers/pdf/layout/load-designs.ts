/** Makes the designs ready to print: templates compiled, fonts and icons read, each design's version computed. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Handlebars from 'handlebars';
import { type LoadedBrand, loadBrand, viewOfBrand } from './brand.ts';
import { classicDesign } from './classic-design.ts';
import type { Asset, Design, DesignDefinition, DesignName, PreparedListing } from './design.ts';
import { loadIcons } from './icons.ts';
import type { DocumentView } from './listing-view.ts';
import { newDesign } from './new-design.ts';
import { viewOfListing } from './view-of-listing.ts';

const templates = new URL('../../../templates/', import.meta.url);
const code = new URL('./', import.meta.url);
const origin = 'https://brochure.invalid';

/** What the designs have in common. */
interface House {
  loadedBrand: LoadedBrand;
  icons: Map<string, string>;
  fonts: Map<string, Asset>;
  fontStyles: string;
  /** sha256 over the layout's own code, which decides the look as much as the templates do. */
  codeHash: string;
}

/**
 * Read and compiled once, when a worker starts.
 * @param brandFile the house's brand.json; its logo is found relative to it.
 * @throws ZodError when the brand file does not fit, Error when a template or font is missing.
 */
export async function loadDesigns(
  brandFile: URL = new URL('brand.json', templates),
): Promise<Record<DesignName, Design>> {
  const fontFolder = new URL('pdf/fonts/', templates);
  const house: House = {
    loadedBrand: await loadBrand(brandFile),
    icons: await loadIcons(),
    fonts: await loadFonts(fontFolder),
    fontStyles: await readFile(new URL('fonts.css', fontFolder), 'utf8'),
    codeHash: await hashOfFolder(code),
  };
  return { classic: await loadDesign(classicDesign, house), new: await loadDesign(newDesign, house) };
}

async function loadDesign(definition: DesignDefinition, house: House): Promise<Design> {
  const folder = new URL(`pdf/${definition.name}/`, templates);
  const source = await definition.source(folder);
  const styles = [house.fontStyles, coloursOf(house), await stylesOf(folder)].join('\n');
  const template = compile(source, house.icons);
  const brand = viewOfBrand(house.loadedBrand);
  const { name, pagesPerListing, maxPhotos, agentSlot } = definition;
  const view = (listings: readonly PreparedListing[]): DocumentView => {
    const views = listings.map((listing, index) =>
      viewOfListing(listing, index, pagesPerListing, house.loadedBrand.brand),
    );
    return {
      title: titleOf(
        views.map(({ title }) => title.text),
        brand.name,
      ),
      styles,
      brand,
      pages: views.length * pagesPerListing,
      listings: views.map(listing => ({ ...listing, page: definition.page(listing) })),
    };
  };
  // Handlebars compiles at the first use: better now, where a fault in the template stops the start.
  template(view([]));
  return {
    name,
    pagesPerListing,
    author: brand.name,
    maxPhotos,
    agentSlot,
    version: versionOf(source, styles, house),
    assets: house.fonts,
    arrange: (photos, missing, listing) => definition.arrange(photos, missing, listing),
    html: listings => template(view(listings)),
  };
}

/** A field the template names and the view lacks is an error, not an empty place on the page. */
function compile(source: string, icons: ReadonlyMap<string, string>): (view: DocumentView) => string {
  const handlebars = Handlebars.create();
  for (const [name, svg] of icons) handlebars.registerPartial(name, svg);
  return handlebars.compile<DocumentView>(source, { strict: true, noEscape: false });
}

async function stylesOf(folder: URL): Promise<string> {
  return readFile(new URL('styles.css', folder), 'utf8');
}

function coloursOf({ loadedBrand }: House): string {
  const { ink, accent, tint } = loadedBrand.brand.colours;
  return `:root { --ink: ${ink}; --accent: ${accent}; --tint: ${tint}; }`;
}

async function loadFonts(folder: URL): Promise<Map<string, Asset>> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.woff2')).sort();
  const fonts = files.map(async file => {
    const body = await readFile(new URL(file, folder));
    return [`${origin}/fonts/${file}`, { body, contentType: 'font/woff2' }] as const;
  });
  return new Map(await Promise.all(fonts));
}

function versionOf(source: string, styles: string, { loadedBrand, icons, fonts, codeHash }: House): string {
  const hash = createHash('sha256').update(codeHash).update(source).update(styles);
  hash.update(JSON.stringify(loadedBrand));
  for (const [name, svg] of icons) hash.update(name).update(svg);
  for (const [url, font] of fonts) hash.update(url).update(font.body);
  return hash.digest('hex');
}

async function hashOfFolder(folder: URL): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(await readFile(file));
  return hash.digest('hex');
}

function titleOf(titles: readonly string[], brandName: string): string {
  const [first = '', ...others] = titles;
  const what = others.length === 0 ? first : `${titles.length} homes`;
  return `${what} – ${brandName}`;
}
