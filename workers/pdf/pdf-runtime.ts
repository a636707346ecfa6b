/** The designs, browser, photo fetcher, photo cache and permits of a process, shared by brochures and previews. */
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { z } from 'zod';
import { BrandsConfig } from '../../core/domain/brands/brands.ts';
import { permitsOf } from '../../core/domain/permits/permit-source.ts';
import { EgressConfig, sandboxRules } from '../../core/egress/config.ts';
import { createGuardedFetch } from '../../core/egress/guarded-fetch.ts';
import { wholeNumber } from '../../core/runtime/config.ts';
import { startInterval } from '../../core/runtime/interval.ts';
import { SandboxConfig } from '../../core/runtime/service-config.ts';
import type { WorkerServices } from '../services.ts';
import { openDesigns } from './layout/designs.ts';
import { fitText } from './layout/fit-text.ts';
import { MapConfig } from './layout/view/location.ts';
import { openPhotoCache } from './photos/photo-cache.ts';
import { BrowserConfig, findBrowser, sandboxMode } from './print/find-browser.ts';
import { openPrinter } from './print/printer.ts';

/** After its last print, a photo is stored for so long. */
const photoCacheDays = 30;

export const PdfRuntimeConfig = z.object({
  ...BrandsConfig.shape,
  ...BrowserConfig.shape,
  ...EgressConfig.shape,
  ...MapConfig.shape,
  PHOTO_CACHE_MB: wholeNumber(10, 10_000_000)
    .default(2_000)
    .describe('Size in MB of the photos and crops that each worker’s machine keeps in DATA_DIR.'),
  ...SandboxConfig.shape,
});
export type PdfRuntimeConfig = z.infer<typeof PdfRuntimeConfig>;

export type PdfRuntime = Awaited<ReturnType<typeof openRuntime>>;

const pruneEveryMs = 3_600_000;

const shared = new Map<string, { runtime: Promise<PdfRuntime>; users: number }>();

/** Opens the process's runtime for the first job kind that acquires it; the last `close` closes it. */
export async function acquirePdfRuntime(config: PdfRuntimeConfig, services: WorkerServices): Promise<PdfRuntime> {
  // Tests open several runtimes in one process, each with its own configuration.
  const values = PdfRuntimeConfig.keyof().options.map(name => config[name] ?? null);
  const key = JSON.stringify([services.dataFolder, ...values]);
  const entry = shared.get(key) ?? { runtime: openRuntime(config, services), users: 0 };
  shared.set(key, entry);
  entry.users++;
  const isLastUser = (): boolean => {
    entry.users--;
    return entry.users === 0 && shared.delete(key);
  };
  try {
    const runtime = await entry.runtime;
    return {
      ...runtime,
      async close() {
        if (isLastUser()) await runtime.close();
      },
    };
  } catch (error) {
    isLastUser();
    throw error;
  }
}

async function openRuntime(config: PdfRuntimeConfig, { logger, dataFolder, systems }: WorkerServices) {
  // V8 counts photos as its heap's growth and would collect the whole heap after about 8 MB, those of two listings.
  setFlagsFromString('--heap-growing-percent=100');
  const chooseDesign = await openDesigns(config);
  const browser = await findBrowser(config, { cacheFolder: path.join(dataFolder, 'browser') });
  logger.info({ browser: browser.path, source: browser.source, version: browser.version }, 'browser found');
  const printer = await openPrinter({ browser, fit: fitText, logger, sandbox: sandboxMode(config) });
  const allow = config.EGRESS_ALLOW.length > 0 ? config.EGRESS_ALLOW : sandboxRules(config);
  const fetcher = createGuardedFetch({ allow, logger });
  const cache = openPhotoCache(path.join(dataFolder, 'photos'), {
    maxBytes: config.PHOTO_CACHE_MB * 1_000_000,
    maxAgeMs: photoCacheDays * 86_400_000,
  });
  // In each worker rather than in a maintenance job: a job reaches one machine only, and the folder is on each.
  const pruning = startInterval('photo cache', pruneEveryMs, logger, () => cache.prune());
  return {
    chooseDesign,
    printer,
    browser,
    /** Another browser version prints other bytes. */
    browserVersion: browser.version,
    photos: { fetcher, cache },
    permits: permitsOf(systems),
    async close(): Promise<void> {
      await pruning.stop();
      await printer.close();
      await fetcher.close();
    },
  };
}
