/// <reference lib="dom" />
/** Pictures of a document's pages as they are printed: same browser, same print styles, same fitted text. */
import type { Browser } from 'playwright';
import { fitText } from '../layout/fit-text.ts';
import type { SampleDocument } from './sample-room.ts';

/** A4 at 96 dpi. */
const paper = { width: 794, height: 1123 };

/** @returns a PNG a page, in order, of 96 dpi times `scale` */
export async function picturePages(browser: Browser, sample: SampleDocument, scale: number): Promise<Buffer[]> {
  const context = await browser.newContext({ viewport: paper, deviceScaleFactor: scale, offline: true });
  try {
    const page = await context.newPage();
    await page.emulateMedia({ media: 'print', colorScheme: 'light', reducedMotion: 'reduce' });
    await page.route('**/*', route => {
      const asset = sample.assets.get(route.request().url());
      if (!asset) return route.abort();
      const headers = { 'access-control-allow-origin': '*' };
      return route.fulfill({ body: asset.body, contentType: asset.contentType, headers });
    });
    await page.setContent(sample.html, { waitUntil: 'load' });
    const __name = '(value => value)';
    await page.evaluate(
      `(async () => { const __name = ${__name}; const loaded = () => (document.body.offsetHeight, document.fonts.ready); await loaded(); (${fitText.toString()})(); await loaded(); })()`,
    );
    const pages = await page.locator('.page').all();
    const pictures: Buffer[] = [];
    for (const one of pages) pictures.push(await one.screenshot({ type: 'png', animations: 'disabled' }));
    return pictures;
  } finally {
    await context.close();
  }
}
