/**
 * `npm run gallery [name …]`: prints the samples in both designs and writes each as PDF and its pages as PNG, to be
 * looked at. Names are those of the samples' files; without any, all are made.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../../../core/runtime/config.ts';
import { rootFolder } from '../../../core/runtime/discover.ts';
import { openDesigns } from '../layout/choose-design.ts';
import type { DesignName } from '../layout/design.ts';
import { fitText } from '../layout/fit-text.ts';
import { keepBrowser } from '../print/browser.ts';
import { findBrowser } from '../print/find-browser.ts';
import { openPrinter } from '../print/printer.ts';
import { GalleryConfig } from './gallery-config.ts';
import { picturePages } from './picture-pages.ts';
import { openSampleRoom } from './sample-room.ts';
import { sampleNames } from './samples.ts';

const outFolder = path.join(rootFolder, 'out', 'gallery');
const designs: readonly DesignName[] = ['classic', 'new'];
/** 144 dpi: a page fills a screen's height, and its small print can be read. */
const scale = 1.5;

const config = readConfig(GalleryConfig);
const logger = pino({ level: 'warn' });
const browser = await findBrowser(config, { cacheFolder: path.join(config.DATA_DIR, 'browser') });
const sandbox = config.CHROMIUM_SANDBOX ?? process.getuid?.() !== 0;
const keeper = keepBrowser({ browser, sandbox, drawsFrames: true, logger });
const printer = await openPrinter({ browser, fit: fitText, logger, sandbox, pages: 1 });
const room = await openSampleRoom();
try {
  const all = await sampleNames();
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter(name => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no sample ${unknown.join(', ')}; there are ${all.join(', ')}.`);
  const chooseDesign = await openDesigns(config);
  if (chosen.length === 0) await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  for (const name of chosen.length > 0 ? chosen : all) {
    const sample = await room.sample(name);
    for (const design of designs) {
      const document = await room.documentOf(sample, await chooseDesign({ design, ...sample.request }));
      const { pdf } = await printer.print({ ...document, signal: new AbortController().signal });
      const pictures = await picturePages(await keeper.running(), document, scale);
      const file = path.join(outFolder, `${name}-${design}`);
      await writeFile(`${file}.pdf`, pdf);
      await Promise.all(pictures.map((picture, at) => writeFile(`${file}-${at + 1}.png`, picture)));
      process.stdout.write(`${path.relative(process.cwd(), file)}: ${pictures.length} pages\n`);
    }
  }
} finally {
  await Promise.all([printer.close(), keeper.close(), room.close()]);
}
