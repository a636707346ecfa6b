/** Settings of the gallery and the preview, a subset of the worker's. */
import { z } from 'zod';
import { BrandsConfig } from '../../../core/domain/brands/brands.ts';
import { StorageConfig } from '../../../core/storage/config.ts';
import { BrowserConfig } from '../print/find-browser.ts';

export const GalleryConfig = z.object({
  ...BrandsConfig.shape,
  ...BrowserConfig.shape,
  ...StorageConfig.pick({ DATA_DIR: true }).shape,
});
