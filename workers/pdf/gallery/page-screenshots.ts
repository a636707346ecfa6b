/// <reference lib="dom" />
/** Screenshots of a document's pages as they are printed: with print styles and fitted text. */
import type { Browser, Page } from 'playwright';
import { fitText } from '../layout/fit-text.ts';
import type { SampleDocument } from './samples.ts';

/** A4 at 96 dpi. */
const paper = { width: 794, height: 1123 };

/**
 * @param pages from 0; default: all
 * @returns one PNG per page with 96 dpi times `scale`
 */
export async function screenshotPages(
  browser: Browser,
  document: SampleDocument,
  scale: number,
  pages?: readonly number[],
): Promise<Buffer[]> {
  const context = await browser.newContext({
    viewport: paper,
    deviceScaleFactor: scale,
    javaScriptEnabled: false,
    offline: true,
    locale: 'en-US',
  });
  try {
    const page = await context.newPage();
    await showDocument(page, document);
    const screenshots: Buffer[] = [];
    for (const [index, sheet] of (await page.locator('.page, .cover, .plans, .share').all()).entries()) {
      if (pages && !pages.includes(index)) continue;
      screenshots.push(await sheet.screenshot({ type: 'png', animations: 'disabled' }));
    }
    return screenshots;
  } finally {
    await context.close();
  }
}

/** Shows the pages as they are printed. */
export async function showDocument(page: Page, { html, assets }: SampleDocument): Promise<void> {
  await page.emulateMedia({ media: 'print', colorScheme: 'light', reducedMotion: 'reduce' });
  await page.route('**/*', route => {
    const asset = assets.get(route.request().url());
    if (!asset) return route.abort();
    const headers = { 'access-control-allow-origin': '*' };
    return route.fulfill({ body: asset.body, contentType: asset.contentType, headers });
  });
  await page.setContent(html, { waitUntil: 'load' });
  await page.evaluate(fittingScript);
}

/**
 * The same steps as the printer's, as a script. `__name` wraps functions in the output of esbuild, which tsx uses.
 */
export const fittingScript = `(async () => {
  const __name = value => value;
  const fontsLoaded = () => (document.body.offsetHeight, document.fonts.ready);
  await fontsLoaded();
  (${fitText.toString()})();
  await fontsLoaded();
})()`;
