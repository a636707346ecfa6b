/** Puts a brand and a request's options to the compiled designs. */
import { createHash } from 'node:crypto';
import { type LoadedBrand, loadBrand, viewOfBrand } from './brand.ts';
import { coverOf, coverPagesOf } from './cover.ts';
import { dirhamSign } from './currency-sign.ts';
import type { Design, DesignName, DesignOptions, PreparedListing } from './design.ts';
import { iconSheet } from './icons.ts';
import { labelsOf } from './labels.ts';
import type { BrandView, DocumentView, ListingView } from './listing-view.ts';
import type { CompiledDesign, DesignRoom } from './load-designs.ts';
import { listingUrlOf } from './view/listing-url.ts';
import { viewOfListing } from './view-of-listing.ts';

export type BrandedDesigns = Record<DesignName, Design>;

const usual: DesignOptions = { language: 'en', cover: false };

/** A design in a brand's colours, before a request chose anything. */
interface BrandedDesign {
  compiled: CompiledDesign;
  room: DesignRoom;
  loadedBrand: LoadedBrand;
  brandView: BrandView;
  styles: string;
  /** Everything of the version but the options. */
  hash: string;
}

/** @throws ZodError when the brand file does not fit */
export async function brandDesigns(room: DesignRoom, brandFile: URL): Promise<BrandedDesigns> {
  const loadedBrand = await loadBrand(brandFile);
  const brandView = viewOfBrand(loadedBrand);
  const make = (compiled: CompiledDesign) => {
    const styles = [room.fontStyles, coloursOf(loadedBrand), compiled.styles].join('\n');
    const hash = hashOf(compiled, styles, room, loadedBrand);
    const design = withVariants({ compiled, room, loadedBrand, brandView, styles, hash });
    // Handlebars compiles at the first use: better now, where a fault in the template stops the start.
    design.html([]);
    return design;
  };
  return { classic: make(room.designs.classic), new: make(room.designs.new) };
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
  return choose(usual);
}

function designOf(branded: BrandedDesign, options: DesignOptions, choose: Design['with']): Design {
  const { compiled, room, brandView } = branded;
  const { name, pagesPerListing, maxPhotos, agentSlot, arrange } = compiled.definition;
  const labels = labelsOf(options.language);
  const coverPages = (listings: number) => (options.cover ? coverPagesOf(listings) : 0);
  const pagesOf = (listings: number) => coverPages(listings) + listings * pagesPerListing;
  const setting = {
    brand: branded.loadedBrand.brand,
    labels,
    currency: dirhamSign(room.fontStyles) ?? labels.plain('aed'),
    pagesPerListing,
  };
  const documentOf = (listings: readonly PreparedListing[]): DocumentView => {
    const place = { ...setting, coverPages: coverPages(listings.length) };
    const views = listings.map((listing, index) => viewOfListing(listing, index, place));
    return {
      title: titleOf(views, brandView.name),
      lang: labels.lang,
      dir: labels.dir,
      labels: labels.all,
      bilingual: labels.language === 'both',
      styles: branded.styles,
      iconSheet: iconSheet(room.icons, iconsOf(views)),
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
    assets: room.fonts,
    pagesOf,
    listingUrl: listing => listingUrlOf(listing, setting.brand),
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

function hashOf({ source }: CompiledDesign, styles: string, room: DesignRoom, brand: LoadedBrand): string {
  const hash = createHash('sha256').update(room.codeHash).update(source).update(styles);
  hash.update(JSON.stringify(brand));
  for (const [name, svg] of room.icons) hash.update(name).update(svg);
  for (const [url, font] of room.fonts) hash.update(url).update(font.body);
  return hash.digest('hex');
}

function titleOf(views: readonly ListingView[], brandName: string): string {
  const [first, ...others] = views;
  const what = others.length === 0 ? (first?.title.text ?? '') : `${views.length} homes`;
  return `${what} – ${brandName}`;
}
