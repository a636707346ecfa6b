/**
 * `npm run gallery [name …]`: prints the named samples (default: all) in both designs to out/gallery/, as PDF and one PNG
 * per page, and their images for sharing.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../../core/runtime/config.ts';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { DesignName } from '../contract.ts';
import { openDesigns } from '../layout/designs.ts';
import { fitText } from '../layout/fit-text.ts';
import { superviseBrowser } from '../print/browser.ts';
import { findBrowser, sandboxMode } from '../print/find-browser.ts';
import { openPrinter } from '../print/printer.ts';
import { GalleryConfig } from './config.ts';
import { screenshotPages } from './page-screenshots.ts';
import { openSamples, sampleNames } from './samples.ts';

const outFolder = path.join(rootFolder, 'out', 'gallery');
/** 144 dpi: small text is readable. */
const scale = 1.5;

const config = readConfig(GalleryConfig);
const logger = pino({ level: 'warn' });
const browser = await findBrowser(config, { cacheFolder: path.join(config.DATA_DIR, 'browser') });
const sandbox = sandboxMode(config);
const supervisor = superviseBrowser({ browser, sandbox, drawsFrames: true, logger });
const printer = await openPrinter({ browser, fit: fitText, logger, sandbox, pages: 1 });
const samples = await openSamples();
try {
  const all = await sampleNames();
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter(name => !all.includes(name));
  if (unknown.length > 0) throw new Error(`Unknown samples: ${unknown.join(', ')}. Known samples: ${all.join(', ')}.`);
  const chooseDesign = await openDesigns(config);
  if (chosen.length === 0) await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  for (const name of chosen.length > 0 ? chosen : all) {
    const sample = await samples.read(name);
    for (const design of [...DesignName.options, 'card'] as const) {
      const document = await samples.documentOf(sample, await chooseDesign({ design, ...sample.request }));
      const file = path.join(outFolder, `${name}-${design}`);
      if (design !== 'card') {
        const { pdf } = await printer.print({ ...document, signal: new AbortController().signal });
        await writeFile(`${file}.pdf`, pdf);
      }
      const screenshots = await screenshotPages(await supervisor.browser(), document, design === 'card' ? 1 : scale);
      await Promise.all(screenshots.map((png, at) => writeFile(`${file}-${at + 1}.png`, png)));
      process.stdout.write(`${path.relative(process.cwd(), file)}: ${screenshots.length} pages\n`);
    }
  }
} finally {
  await Promise.all([printer.close(), supervisor.close(), samples.close()]);
}
