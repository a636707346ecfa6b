/** Prints a list of listings as one PDF. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createLinks } from '../../core/domain/links/links.ts';
import { defineHandler } from '../../core/jobs/handler.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import { checkBrowser } from './check-browser.ts';
import contract, { DesignName } from './contract.ts';
import { makeListingFiles } from './listing-files.ts';
import { acquirePdfRuntime, type PdfRuntime, PdfRuntimeConfig } from './pdf-runtime.ts';
import { cropVersion } from './photos/crop-photos.ts';
import { printBrochure } from './print-brochure.ts';

export default defineHandler({
  job: contract,
  config: z.object({
    ...PdfRuntimeConfig.shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, services: WorkerServices) {
    const runtime = await acquirePdfRuntime(config, services);
    const links = createLinks(services.database, publicUrl(services.config));
    const retentionHours = config.RESULT_RETENTION_HOURS;
    return {
      cacheVersion: await versionOf(runtime),
      handle(payload, context) {
        const open = { ...services, ...runtime, links, retentionHours };
        return payload.files
          ? makeListingFiles(payload, payload.files, context, open)
          : printBrochure(payload, context, open);
      },
      check: signal => checkBrowser(runtime, signal),
      freeSpace: () => runtime.photos.cache.prune(),
      close: () => runtime.close(),
    };
  },
});

/** Everything that determines the bytes of a brochure of the default brand besides the request and its photos. */
async function versionOf({ chooseDesign, browserVersion }: PdfRuntime): Promise<string> {
  const options = { language: 'en', cover: false } as const;
  const layouts = [...DesignName.options, 'card'] as const;
  const designs = await Promise.all(layouts.map(design => chooseDesign({ design, ...options })));
  const versions = [browserVersion, cropVersion, ...designs.map(({ version }) => version)];
  return createHash('sha256').update(JSON.stringify(versions)).digest('hex');
}
