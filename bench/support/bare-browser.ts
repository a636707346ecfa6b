/// <reference lib="dom" />
/** Baseline: a browser prints prepared pages with Playwright only, on two reused pages. */
import { type Browser, chromium, type Page } from 'playwright';
import type { FoundBrowser } from '../../workers/pdf/print/find-browser.ts';
import { itemsPerSecond } from './measure.ts';
import type { PreparedPages } from './prepared-pages.ts';

/** The fastest number on two cores. */
const concurrentPages = 2;

export interface BareBrowser {
  /** @returns documents per second */
  print(documents: readonly PreparedPages[]): Promise<number>;
  close(): Promise<void>;
}

export async function openBareBrowser(found: FoundBrowser): Promise<BareBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: found.path,
    env: { ...found.env },
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const pages = await Promise.all(Array.from({ length: concurrentPages }, () => browser.newPage()));
  return {
    print: documents =>
      itemsPerSecond(documents, pages.length, async (document, slot) => {
        const page = pages[slot];
        if (!page) throw new Error(`there is no page for slot ${slot}`);
        await printOn(page, document);
      }),
    close: () => browser.close(),
  };
}

async function printOn(page: Page, { html, assets }: PreparedPages): Promise<void> {
  await page.route('**/*', route => {
    const asset = assets.get(route.request().url());
    return asset
      ? route.fulfill({
          body: asset.body,
          contentType: asset.contentType,
          headers: { 'access-control-allow-origin': '*' },
        })
      : route.abort();
  });
  await page.setContent(html, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.pdf({ preferCSSPageSize: true, printBackground: true, tagged: true, outline: true });
  await page.unroute('**/*');
}
