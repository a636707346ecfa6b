/** What brochures and their previews are made with: designs, browser, fetcher, photo cache; one of each in a process. */
import path from 'node:path';
import { z } from 'zod';
import { BrandsConfig } from '../../core/domain/brands/config.ts';
import { EgressConfig } from '../../core/egress/config.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { sandboxRules } from '../../core/egress/sandbox-rules.ts';
import { repeat } from '../../core/runtime/interval.ts';
import { SandboxConfig } from '../../core/runtime/sandbox-config.ts';
import { ServiceConfig } from '../../core/runtime/service-config.ts';
import type { WorkerServices } from '../services.ts';
import { type ChooseDesign, openDesigns } from './layout/choose-design.ts';
import { fitText } from './layout/fit-text.ts';
import { PhotoCacheConfig } from './photos/config.ts';
import type { PhotoSource } from './photos/fetch-photo.ts';
import { openPhotoCache } from './photos/photo-cache.ts';
import { BrowserConfig } from './print/config.ts';
import { type FoundBrowser, findBrowser } from './print/find-browser.ts';
import { openPrinter, type Printer } from './print/printer.ts';

export const WorkshopConfig = z.object({
  ...BrandsConfig.shape,
  ...BrowserConfig.shape,
  ...EgressConfig.shape,
  ...PhotoCacheConfig.shape,
  ...SandboxConfig.shape,
  ...ServiceConfig.pick({ NODE_ENV: true }).shape,
});
export type WorkshopConfig = z.infer<typeof WorkshopConfig>;

export interface Workshop {
  chooseDesign: ChooseDesign;
  printer: Printer;
  /** Changes when the browser does: its PDFs then differ in their bytes. */
  browserVersion: string;
  browser: FoundBrowser;
  photos: PhotoSource;
  close(): Promise<void>;
}

const pruneEveryMs = 3_600_000;

interface Shared {
  workshop: Promise<Workshop>;
  holders: number;
}

const open = new Map<string, Shared>();

/** The process's workshop, opened by the first kind of job that takes it and closed with the last. */
export async function takeWorkshop(config: WorkshopConfig, services: WorkerServices): Promise<Workshop> {
  const name = nameOf(config, services);
  const shared = open.get(name) ?? { workshop: openWorkshop(config, services), holders: 0 };
  open.set(name, shared);
  shared.holders++;
  const leave = (): boolean => {
    shared.holders--;
    return shared.holders === 0 && open.delete(name);
  };
  try {
    const workshop = await shared.workshop;
    return {
      ...workshop,
      async close() {
        if (leave()) await workshop.close();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Tests open several in one process, each with a configuration of its own. */
const nameOf = (config: WorkshopConfig, { dataFolder }: WorkerServices): string =>
  JSON.stringify([dataFolder, ...WorkshopConfig.keyof().options.map(key => config[key] ?? null)]);

async function openWorkshop(
  config: WorkshopConfig,
  { logger, dataFolder }: WorkerServices,
): Promise<Workshop> {
  const chooseDesign = await openDesigns(config);
  const browser = await findBrowser(config, { cacheFolder: path.join(dataFolder, 'browser') });
  logger.info({ browser: browser.path, source: browser.source, version: browser.version }, 'browser found');
  const printer = await openPrinter({ browser, fit: fitText, logger, sandbox: config.CHROMIUM_SANDBOX });
  const allow = config.EGRESS_ALLOW.length > 0 ? config.EGRESS_ALLOW : sandboxRules(config);
  const fetcher = createGuardedFetch({ allow, logger });
  const cache = openPhotoCache(path.join(dataFolder, 'photos'), {
    maxBytes: config.PHOTO_CACHE_MB * 1_000_000,
    maxAgeMs: config.PHOTO_CACHE_DAYS * 86_400_000,
  });
  // By each worker, not by a maintenance job: the folder is its machine's own, and a job reaches one machine only.
  const pruning = repeat('photo cache', pruneEveryMs, logger, () => cache.prune());
  return {
    chooseDesign,
    printer,
    browserVersion: browser.version,
    browser,
    photos: { fetcher, cache },
    async close() {
      await pruning.stop();
      await printer.close();
      await fetcher.close();
    },
  };
}
