/** Combines the compiled designs with a brand and the options of a request. */
import { createHash } from 'node:crypto';
import { type LoadedBrand, loadBrand, viewOfBrand } from './brand.ts';
import { coverOf, coverPagesOf, leadSlotOf } from './cover.ts';
import type { Design, DesignOptions, DocumentPart, LayoutName } from './design.ts';
import type { CompiledDesign, DesignAssets } from './design-assets.ts';
import { furtherPhotos, maxFurtherPhotos, photosBeforeFurther } from './further-photos.ts';
import { iconSheet } from './icons.ts';
import { labelsOf } from './labels.ts';
import { scriptRules } from './script-fonts.ts';
import { sheetRules } from './sheet.ts';
import { countFurtherPages } from './view/further-pages.ts';
import { listingUrlOf } from './view/links.ts';
import type { ListingView, PreparedListing } from './view/listing.ts';
import { viewOfListing } from './view/listing.ts';
import { type MapConfig, mapUrlOf } from './view/location.ts';
import { listingIn } from './view/page-texts.ts';

export type BrandedDesigns = Record<LayoutName, Design>;

interface BrandedDesign {
  compiled: CompiledDesign;
  assets: DesignAssets;
  loadedBrand: LoadedBrand;
  maps: Partial<MapConfig>;
  styles: string;
  /** sha256 of everything that determines the pages, except the options. */
  hash: string;
}

const dirham = '\u20C3';

/** @throws ZodError for an invalid brand file */
export async function brandDesigns(
  assets: DesignAssets,
  brandFile: URL,
  maps: Partial<MapConfig> = {},
): Promise<BrandedDesigns> {
  const loadedBrand = await loadBrand(brandFile);
  const make = (compiled: CompiledDesign) => {
    const styles = [assets.fontStyles, coloursOf(loadedBrand), compiled.styles].join('\n');
    const hash = hashOf(compiled, styles, assets, [loadedBrand, maps.MAP_URL, maps.MAP_ATTRIBUTION]);
    const branded = { compiled, assets, loadedBrand, maps, styles, hash };
    const design = designOf(branded, { language: 'en', cover: false });
    // Handlebars compiles at the first use: an invalid template must fail the start.
    design.html([]);
    return design;
  };
  const { classic, new: other, card } = assets.designs;
  return { classic: make(classic), new: make(other), card: make(card) };
}

function designOf(branded: BrandedDesign, options: DesignOptions): Design {
  const { compiled, assets, loadedBrand, maps, styles, hash } = branded;
  const { name, maxPhotos, agentSlot, arrange, pagesOf: ownPagesOf } = compiled.definition;
  const labels = labelsOf(options.language);
  const brandView = viewOfBrand(loadedBrand, labels);
  const sheetStyles = options.sheet === undefined ? '' : `\n${sheetRules(options.sheet)}\n${assets.bleedStyles}`;
  const hasFurtherPhotos = options.gallery === 'full' && name !== 'card';
  const coverPages = (listings: number) => coverPagesOf(listings, options.cover);
  const pagesOfListing = (listing: PreparedListing) => ownPagesOf(listing.photos) + countFurtherPages(listing);
  const settings = {
    brand: loadedBrand.brand,
    labels,
    currency: dirhamSign(assets.fontStyles) ?? labels.plain('aed'),
    mapAttribution: maps.MAP_ATTRIBUTION ?? '',
  };
  /** The root of the templates' context. */
  const contextOf = (prepared: readonly PreparedListing[], part: DocumentPart) => {
    const listings = prepared.map(each => ({ ...each, listing: listingIn(options.language, each.listing) }));
    const { length } = listings;
    const hasCover = part.from === 0 && coverPages(length) > 0;
    let nextPage = coverPages(length) + 1;
    const seen = listings.flatMap((listing, index) => {
      const isShown = hasCover || (index >= part.from && index < part.to);
      const pages = { firstPage: nextPage, ownPages: ownPagesOf(listing.photos) };
      nextPage += pagesOfListing(listing);
      return isShown ? [viewOfListing(listing, index, { ...settings, ...pages })] : [];
    });
    const views = hasCover ? seen.slice(0, part.to) : seen;
    return {
      title: titleOf(length, views[0], brandView.name),
      lang: labels.lang,
      dir: labels.dir,
      labels: labels.all,
      /** Labels in two languages need more space. */
      bilingual: labels.language === 'both',
      styles: `${labels.second === null ? '' : `${assets.bilingualFonts}\n`}${styles}${sheetStyles}`,
      /** SVG symbols, which `{{icon "phone" @root.brand.accent}}` refers to. */
      iconSheet: iconSheet(assets.icons, iconsOf(seen)),
      brand: brandView,
      /** "Page" and "of" on bilingual pages. */
      pageArabic: labels.second?.plain('page') ?? '',
      ofArabic: labels.second?.plain('of') ?? '',
      pages: nextPage - 1,
      cover: hasCover ? coverOf(seen, labels, options, part) : null,
      listings: views.map(view => ({ ...view, page: compiled.definition.page(view, labels) })),
    };
  };
  return {
    name,
    sheet: options.sheet,
    author: brandView.name,
    language: labels.lang,
    maxPhotos: maxPhotos + (hasFurtherPhotos ? maxFurtherPhotos : 0),
    agentSlot,
    version: createHash('sha256').update(hash).update(JSON.stringify(options)).digest('hex'),
    assets: new Map([...assets.fonts, ...assets.scriptFonts]),
    pagesOf: (listings, { from, to } = { from: 0, to: listings.length }) => {
      const pages = listings.slice(from, to).reduce((sum, listing) => sum + pagesOfListing(listing), 0);
      return pages + (from === 0 ? coverPages(listings.length) : 0);
    },
    coverPagesOf: coverPages,
    mapUrl: listing => mapUrlOf(maps, listing),
    listingUrl: listing => listingUrlOf(listing, settings.brand),
    permitBrand: settings.brand,
    tidy: settings.brand.tidy,
    leadSlot: (photo, listings) => leadSlotOf(photo, { listings, cover: options.cover, name }),
    arrange: (photos, missing, listing) => {
      const shown = listingIn(options.language, listing);
      if (!hasFurtherPhotos) return arrange(photos, missing, shown, options);
      const placed = arrange(photos.slice(0, photosBeforeFurther(photos.length, maxPhotos)), missing, shown, options);
      return [...placed, ...furtherPhotos(photos, placed)];
    },
    html: (listings, part = { from: 0, to: listings.length }) =>
      withScriptFonts(compiled.template(contextOf(listings, part))),
    with: others => designOf(branded, others),
  };
}

/** Not in the style sheet of every document: the rules of all slices are ten times as long. */
function withScriptFonts(html: string): string {
  const rules = scriptRules(html);
  return rules === '' ? html : html.replace('</style>', () => `${rules}</style>`);
}

function iconsOf(views: readonly ListingView[]): Set<string> {
  return new Set(views.flatMap(({ facts, amenities }) => [...facts, ...amenities].map(({ icon }) => icon)));
}

function coloursOf({ brand }: LoadedBrand): string {
  const { ink, accent, tint } = brand.colours;
  return `:root { --ink: ${ink}; --accent: ${accent}; --tint: ${tint}; }`;
}

function hashOf({ source }: CompiledDesign, styles: string, assets: DesignAssets, settings: unknown): string {
  const hash = createHash('sha256').update(assets.codeHash).update(source).update(styles);
  hash.update(JSON.stringify([settings, assets.scriptVersions, assets.bilingualFonts, assets.bleedStyles]));
  for (const [name, svg] of assets.icons) hash.update(name).update(svg);
  for (const [url, font] of assets.fonts) hash.update(url).update(font.body);
  return hash.digest('hex');
}

function titleOf(listings: number, first: ListingView | undefined, brandName: string): string {
  const what = listings <= 1 ? (first?.title.text ?? '') : `${listings} homes`;
  return `${what} – ${brandName}`;
}

/** The dirham sign (U+20C3, Unicode 18) if a font declares it in its `unicode-range`, else null. */
export function dirhamSign(fontStyles: string): string | null {
  const ranges = [...fontStyles.matchAll(/U\+([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?/gi)];
  const code = dirham.charCodeAt(0);
  const isCovered = ranges.some(([, from = '', to = from]) => {
    return Number.parseInt(from, 16) <= code && code <= Number.parseInt(to, 16);
  });
  return isCovered ? dirham : null;
}
