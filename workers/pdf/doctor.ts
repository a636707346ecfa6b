/** Health check: finds a browser and makes a test print. */
import path from 'node:path';
import { pino } from 'pino';
import { defineCheck } from '../../core/doctor/check.ts';
import { BrandsConfig } from '../../core/domain/brands/brands.ts';
import { ConfigurationError } from '../../core/runtime/config.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import { failure } from '../../core/runtime/finding.ts';
import { StorageConfig } from '../../core/storage/config.ts';
import { checkBrowser } from './check-browser.ts';
import { openDesigns } from './layout/designs.ts';
import { fitText } from './layout/fit-text.ts';
import { BrowserConfig, findBrowser, sandboxMode } from './print/find-browser.ts';
import { openPrinter } from './print/printer.ts';

const logger = pino({ level: 'silent' });

export default defineCheck({
  name: 'browser',
  // The first run unpacks the browser, which is slow on a slow disk.
  timeoutMs: 90_000,
  onTimeout: 'check whether the machine is short of memory, or set CHROMIUM_PATH to another browser',
  async run({ read }, signal) {
    const config = read(BrowserConfig);
    const cacheFolder = path.resolve(read(StorageConfig).DATA_DIR, 'browser');
    try {
      const browser = await findBrowser(config, { cacheFolder });
      const printer = await openPrinter({ browser, fit: fitText, logger, sandbox: sandboxMode(config), pages: 1 });
      try {
        const chooseDesign = await openDesigns(read(BrandsConfig));
        return Object.values(await checkBrowser({ chooseDesign, printer, browser }, signal));
      } finally {
        await printer.close();
      }
    } catch (error) {
      // Both messages contain what to do.
      if (error instanceof ServiceError || error instanceof ConfigurationError)
        return failure('no browser prints here', error.message.replace(/\.$/, ''));
      throw error;
    }
  },
});
