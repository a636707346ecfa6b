/** Combines the compiled designs with a brand and the options of a request. */
import { createHash } from 'node:crypto';
import { type LoadedBrand, loadBrand, viewOfBrand } from './brand.ts';
import { coverOf, coverPagesOf } from './cover.ts';
import type { Design, DesignName, DesignOptions, PreparedListing } from './design.ts';
import type { CompiledDesign, DesignAssets } from './design-assets.ts';
import type { BrandView, DocumentView, ListingView } from './document-view.ts';
import { iconSheet } from './icons.ts';
import { labelsOf } from './labels.ts';
import { listingUrlOf } from './view/links.ts';
import { viewOfListing } from './view/listing.ts';

export type BrandedDesigns = Record<DesignName, Design>;

const dirham = '\u20C3';

const defaultOptions: DesignOptions = { language: 'en', cover: false };

interface BrandedDesign {
  compiled: CompiledDesign;
  assets: DesignAssets;
  loadedBrand: LoadedBrand;
  brandView: BrandView;
  styles: string;
  /** sha256 of everything that determines the pages, except the options. */
  hash: string;
}

/** @throws ZodError for an invalid brand file */
export async function brandDesigns(assets: DesignAssets, brandFile: URL): Promise<BrandedDesigns> {
  const loadedBrand = await loadBrand(brandFile);
  const brandView = viewOfBrand(loadedBrand);
  const make = (compiled: CompiledDesign) => {
    const styles = [assets.fontStyles, coloursOf(loadedBrand), compiled.styles].join('\n');
    const hash = hashOf(compiled, styles, assets, loadedBrand);
    const design = withVariants({ compiled, assets, loadedBrand, brandView, styles, hash });
    // Handlebars compiles at the first use: an invalid template must fail the start.
    design.html([]);
    return design;
  };
  return { classic: make(assets.designs.classic), new: make(assets.designs.new) };
}

function withVariants(branded: BrandedDesign): Design {
  const variants = new Map<string, Design>();
  const choose = (options: DesignOptions): Design => {
    const key = JSON.stringify([options.language, options.cover]);
    const known = variants.get(key);
    if (known) return known;
    const variant = designOf(branded, options, choose);
    variants.set(key, variant);
    return variant;
  };
  return choose(defaultOptions);
}

function designOf(branded: BrandedDesign, options: DesignOptions, choose: Design['with']): Design {
  const { compiled, assets, brandView } = branded;
  const { name, pagesPerListing, maxPhotos, agentSlot, arrange } = compiled.definition;
  const labels = labelsOf(options.language);
  const coverPages = (listings: number) => (options.cover ? coverPagesOf(listings) : 0);
  const pagesOf = (listings: number) => coverPages(listings) + listings * pagesPerListing;
  const settings = {
    brand: branded.loadedBrand.brand,
    labels,
    currency: dirhamSign(assets.fontStyles) ?? labels.plain('aed'),
    pagesPerListing,
  };
  const documentOf = (listings: readonly PreparedListing[]): DocumentView => {
    const ofDocument = { ...settings, coverPages: coverPages(listings.length) };
    const views = listings.map((listing, index) => viewOfListing(listing, index, ofDocument));
    return {
      title: titleOf(views, brandView.name),
      lang: labels.lang,
      dir: labels.dir,
      labels: labels.all,
      bilingual: labels.language === 'both',
      styles: branded.styles,
      iconSheet: iconSheet(assets.icons, iconsOf(views)),
      brand: brandView,
      pages: pagesOf(views.length),
      cover: options.cover ? coverOf(views, labels) : null,
      listings: views.map(view => ({ ...view, page: compiled.definition.page(view, labels) })),
    };
  };
  return {
    name,
    pagesPerListing,
    author: brandView.name,
    language: labels.lang,
    maxPhotos,
    agentSlot,
    version: createHash('sha256').update(branded.hash).update(JSON.stringify(options)).digest('hex'),
    assets: assets.fonts,
    pagesOf,
    listingUrl: listing => listingUrlOf(listing, settings.brand),
    arrange,
    html: listings => compiled.template(documentOf(listings)),
    with: choose,
  };
}

function iconsOf(views: readonly ListingView[]): Set<string> {
  return new Set(views.flatMap(({ facts, amenities }) => [...facts, ...amenities].map(({ icon }) => icon)));
}

function coloursOf({ brand }: LoadedBrand): string {
  const { ink, accent, tint } = brand.colours;
  return `:root { --ink: ${ink}; --accent: ${accent}; --tint: ${tint}; }`;
}

function hashOf(
  { source }: CompiledDesign,
  styles: string,
  assets: DesignAssets,
  brand: LoadedBrand,
): string {
  const hash = createHash('sha256').update(assets.codeHash).update(source).update(styles);
  hash.update(JSON.stringify(brand));
  for (const [name, svg] of assets.icons) hash.update(name).update(svg);
  for (const [url, font] of assets.fonts) hash.update(url).update(font.body);
  return hash.digest('hex');
}

function titleOf(views: readonly ListingView[], brandName: string): string {
  const [first, ...others] = views;
  const what = others.length === 0 ? (first?.title.text ?? '') : `${views.length} homes`;
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
