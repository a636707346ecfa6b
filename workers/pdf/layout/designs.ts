/** The designs in every brand. */
import { type BrandsConfig, findBrands } from '../../../core/domain/brands/brands.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import { type BrandedDesigns, brandDesigns } from './branded-design.ts';
import type { Design, DesignOptions, LayoutName } from './design.ts';
import { defaultBrandFile, loadDesignAssets } from './design-assets.ts';
import type { MapConfig } from './view/location.ts';

interface DesignChoice extends DesignOptions {
  design: LayoutName;
  /** Name of a further brand; the default brand without it. */
  brand?: string | undefined;
}

/** @throws ServiceError `invalid-input` for an unknown brand or an invalid brand file */
export type ChooseDesign = (choice: DesignChoice) => Promise<Design>;

/**
 * Loads the default brand at once and the others at their first use.
 * @throws ZodError for an invalid default brand; Error for a missing or invalid template or font
 */
export async function openDesigns(config: BrandsConfig & Partial<MapConfig>): Promise<ChooseDesign> {
  const assets = await loadDesignAssets();
  const defaultBrand = await brandDesigns(assets, defaultBrandFile, config);
  const brands = new Map<string, Promise<BrandedDesigns>>();

  async function load(name: string): Promise<BrandedDesigns> {
    const file = (await findBrands(config)).get(name);
    if (!file) throw new ServiceError('invalid-input', `There is no brand "${name}".`);
    try {
      return await brandDesigns(assets, file, config);
    } catch (cause) {
      throw new ServiceError('invalid-input', `The file of brand "${name}" is invalid.`, { cause });
    }
  }

  function designsOf(name: string): Promise<BrandedDesigns> {
    const loading = brands.get(name) ?? load(name);
    brands.set(name, loading);
    // The next request tries again: the file may be corrected by then.
    loading.catch(() => brands.delete(name));
    return loading;
  }

  return async ({ design, brand, ...options }) => {
    const designs = brand === undefined ? defaultBrand : await designsOf(brand);
    return designs[design].with(options);
  };
}

/**
 * Both designs of one brand.
 * @throws ZodError for an invalid brand file; Error for a missing or invalid template or font
 */
export async function loadDesigns(brandFile: URL = defaultBrandFile): Promise<BrandedDesigns> {
  return await brandDesigns(await loadDesignAssets(), brandFile);
}
