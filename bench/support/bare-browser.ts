/// <reference lib="dom" />
/** What a browser does on its own with prepared pages: the library's ordinary means, two pages that are used again. */
import { type Browser, chromium, type Page } from 'playwright';
import type { FoundBrowser } from '../../workers/pdf/print/find-browser.ts';
import { perSecond } from './in-turns.ts';
import type { PreparedPages } from './prepared-pages.ts';

/** What it does best on two cores. */
const pagesAtOnce = 2;

export interface BareBrowser {
  /** @returns documents a second */
  print(documents: readonly PreparedPages[]): Promise<number>;
  close(): Promise<void>;
}

export async function openBareBrowser(found: FoundBrowser): Promise<BareBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath: found.path,
    env: { ...found.env },
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const pages = await Promise.all(Array.from({ length: pagesAtOnce }, () => browser.newPage()));
  return {
    print: documents =>
      perSecond(documents, pages.length, async (document, lane) => {
        const page = pages[lane];
        if (!page) throw new Error('no page');
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
