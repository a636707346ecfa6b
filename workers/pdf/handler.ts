/** Prints a listing list: fetch photos, compose, fit photos, lay out, print, check, finish, store. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { createLinks } from '../../core/domain/links/links.ts';
import { defineHandler } from '../../core/jobs/handler.ts';
import { publicUrl } from '../../core/runtime/service-config.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import type { WorkerServices } from '../services.ts';
import contract, { DesignName } from './contract.ts';
import { examineBrowser } from './doctor/examine-browser.ts';
import { recipe } from './photos/fit-photos.ts';
import { printBrochure } from './print-brochure.ts';
import { takeWorkshop, type Workshop, WorkshopConfig } from './workshop.ts';

export default defineHandler({
  job: contract,
  config: z.object({
    ...WorkshopConfig.shape,
    ...StorageConfig.pick({ RESULT_RETENTION_HOURS: true }).shape,
  }),
  async open(config, services: WorkerServices) {
    const workshop = await takeWorkshop(config, services);
    const links = createLinks(services.database, publicUrl(services.config));
    const parts = { ...services, ...workshop, links, keptHours: config.RESULT_RETENTION_HOURS };
    return {
      edition: await editionOf(workshop),
      handle: (payload, context) => printBrochure(payload, context, parts),
      check: signal => examineBrowser({ ...workshop, sandbox: config.CHROMIUM_SANDBOX }, signal),
      close: () => workshop.close(),
    };
  },
});

/** Whatever goes into the bytes of the house's brochures besides the request and its photos. */
async function editionOf({ chooseDesign, browserVersion }: Workshop): Promise<string> {
  const house = { language: 'en', cover: false } as const;
  const designs = await Promise.all(DesignName.options.map(design => chooseDesign({ design, ...house })));
  const versions = [browserVersion, recipe, ...designs.map(({ version }) => version)];
  return createHash('sha256').update(JSON.stringify(versions)).digest('hex');
}
