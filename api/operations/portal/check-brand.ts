/** Refuses a request that names a brand which is not there. */
import { findBrands } from '../../../core/domain/brands/find-brands.ts';
import { ServiceError } from '../../../core/runtime/errors.ts';
import type { ApiServices } from '../../services.ts';

/** @throws ServiceError with the names that would do */
export async function checkBrand(brand: string | undefined, config: ApiServices['config']): Promise<void> {
  if (brand === undefined) return;
  const brands = [...(await findBrands(config)).keys()];
  if (brands.includes(brand)) return;
  const known =
    brands.length === 0 ? 'there is none besides the house’s own' : `known are ${brands.join(', ')}`;
  throw new ServiceError('invalid-input', 'The PDF’s brand is not known.', {
    faults: [{ pointer: '/brand', detail: `no brand has this name; ${known}` }],
  });
}
