/** Prints a listing list: fetch photos, compose, fit photos, lay out, print, check, finish, store. */
import path from 'node:path';
import { z } from 'zod';
import { BrandsConfig } from '../../core/brands/config.ts';
import { EgressConfig } from '../../core/egress/config.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { sandboxRules } from '../../core/egress/sandbox-rules.ts';
import { defineHandler } from '../../core/jobs/handler.ts';
import { SandboxConfig } from '../../core/sandbox-config.ts';
import { ServiceConfig } from '../../core/service-config.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import contract from './contract.ts';
import { openDesigns } from './layout/choose-design.ts';
import { fitText } from './layout/fit-text.ts';
import { openPhotoCache } from './photos/photo-cache.ts';
import { BrowserConfig } from './print/config.ts';
import { findBrowser } from './print/find-browser.ts';
import { openPrinter } from './print/printer.ts';
import { printBrochure } from './print-brochure.ts';

export default defineHandler({
  job: contract,
  config: z.object({
    ...BrandsConfig.shape,
    ...BrowserConfig.shape,
    ...EgressConfig.shape,
    ...SandboxConfig.shape,
    ...ServiceConfig.pick({ NODE_ENV: true }).shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, services: WorkerServices) {
    const { logger, dataFolder } = services;
    const chooseDesign = await openDesigns(config);
    const browser = await findBrowser(config, { cacheFolder: path.join(dataFolder, 'browser') });
    logger.info({ browser: browser.path, source: browser.source, version: browser.version }, 'browser found');
    const printer = await openPrinter({ browser, fit: fitText, logger, sandbox: config.CHROMIUM_SANDBOX });
    const allow = config.EGRESS_ALLOW.length > 0 ? config.EGRESS_ALLOW : sandboxRules(config);
    const fetcher = createGuardedFetch({ allow, logger });
    const photos = { fetcher, cache: openPhotoCache(path.join(dataFolder, 'photos')) };
    return {
      handle: (payload, context) =>
        printBrochure(payload, context, {
          ...services,
          chooseDesign,
          printer,
          browserVersion: browser.version,
          photos,
          keptHours: config.RESULT_RETENTION_HOURS,
        }),
      async close() {
        await printer.close();
        await fetcher.close();
      },
    };
  },
});
