/** The designs of every brand, for requests that name one: a brand is loaded when it is first asked for. */
import type { BrandsConfig } from '../../../core/domain/brands/config.ts';
import { findBrands } from '../../../core/domain/brands/find-brands.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { Design, DesignName, DesignOptions } from './design.ts';
import { houseBrand, loadDesignRoom } from './load-designs.ts';
import { type BrandedDesigns, brandDesigns } from './make-design.ts';

interface DesignChoice extends DesignOptions {
  design: DesignName;
  /** None: the house's own. */
  brand?: string | undefined;
}

/** @throws ServiceError `invalid-input` for a brand that is not there, or whose file does not fit */
export type ChooseDesign = (choice: DesignChoice) => Promise<Design>;

/** @throws ZodError when the house's own brand does not fit, Error when a template or font is missing */
export async function openDesigns(config: BrandsConfig): Promise<ChooseDesign> {
  const room = await loadDesignRoom();
  const house = await brandDesigns(room, houseBrand);
  const brands = new Map<string, Promise<BrandedDesigns>>();

  async function load(name: string): Promise<BrandedDesigns> {
    const file = (await findBrands(config)).get(name);
    if (!file) throw new ServiceError('invalid-input', `The brand ${name} is not there any more.`);
    try {
      return await brandDesigns(room, file);
    } catch (cause) {
      throw new ServiceError('invalid-input', `The file of the brand ${name} does not fit.`, { cause });
    }
  }

  function branded(name: string): Promise<BrandedDesigns> {
    const loading = brands.get(name) ?? load(name);
    brands.set(name, loading);
    // A brand that failed may have been mended by the next request.
    loading.catch(() => brands.delete(name));
    return loading;
  }

  return async ({ design, brand, language, cover }) => {
    const designs = brand === undefined ? house : await branded(brand);
    return designs[design].with({ language, cover });
  };
}
