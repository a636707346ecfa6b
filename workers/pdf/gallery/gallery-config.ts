/** What the gallery and the preview are configured by: as the worker. */
import { z } from 'zod';
import { BrandsConfig } from '../../../core/domain/brands/config.ts';
import { StorageConfig } from '../../../core/storage/config.ts';
import { BrowserConfig } from '../print/config.ts';

export const GalleryConfig = z.object({
  ...BrandsConfig.shape,
  ...BrowserConfig.shape,
  ...StorageConfig.pick({ DATA_DIR: true }).shape,
});
