/** Accessibility: the violations that axe finds in a page. */
import axe from 'axe-core';
import type { Page } from 'playwright';

/** Without details of the rules that pass, which take most of the time. */
const options: axe.RunOptions = { resultTypes: ['violations'] };

export async function findViolations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return await page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`);
}
