/** The studio in a browser: opens it, and does and reads what a person does and reads in it. */
import { randomUUID } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright';
import { afterEach, expect } from 'vitest';
import { useBrochureService } from './brochure-service.ts';
import { findViolations } from './find-violations.ts';
import { sharedBrowser } from './shared-browser.ts';

export const httpCredentials = { username: 'duty', password: 'secret' };
/** The origin of photos that a test serves itself. */
export const photoOrigin = 'https://photos.example';
export const client = { id: 'studio-test', secret: randomUUID() };

interface OpenOptions extends BrowserContextOptions {
  /** The messages of Chromium about rejected requests that the test expects. */
  rejections?: RegExp;
}

/** Opens the service with the studio for the tests of a file, each of which must leave its pages without errors. */
export async function useStudio(name: string) {
  const brochures = await useBrochureService(name, undefined, undefined, {
    OPS_USER: httpCredentials.username,
    OPS_PASSWORD: httpCredentials.password,
  });
  const url = `${brochures.service.origin}/v2/studio`;
  await brochures.service.clients.put(
    { clientId: client.id, clientSecret: client.secret, name: 'Studio test', scopes: ['pdf', 'portal:read'] },
    { kind: 'command', name: 'test' },
  );
  const browser = await sharedBrowser();
  const opened: Page[] = [];
  /** Errors of the pages and their requests to other sites. */
  let faults: string[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(page => page.context().close()));
    const found = faults;
    faults = [];
    expect(found).toEqual([]);
  });

  async function open({ rejections, ...options }: OpenOptions = {}, hash = '', first = 'Headline'): Promise<Page> {
    const expected = rejections ?? /status of 422/;
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...options });
    const page = await context.newPage();
    opened.push(page);
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => {
      // Chromium reports each rejected request; the page shows why.
      if (message.type() === 'error' && !expected.test(message.text())) faults.push(message.text());
    });
    page.on('request', request => {
      const { protocol, origin } = new URL(request.url());
      if (/^http/.test(protocol) && ![brochures.service.origin, photoOrigin].includes(origin))
        faults.push(request.url());
    });
    await page.goto(url + hash);
    await page.getByRole('textbox', { name: first, exact: true }).waitFor();
    return page;
  }
  return { ...brochures, url, open };
}

export async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Client id').fill(client.id);
  await page.getByLabel('Client secret').fill(client.secret);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText(`Logged in as ${client.id}.`).waitFor({ state: 'attached' });
}

export const image = (page: Page, name: string) => page.getByRole('img', { name, exact: true });
export const editor = (page: Page) => page.getByRole('textbox', { name: 'Request as JSON' });

/** The request as the page stores it. */
export const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('portal-service-studio') ?? '{}').text);

/** Changes the text as a person would, so that the page hears of it. */
export async function replaceInEditor(page: Page, from: string, to: string): Promise<void> {
  const text = await textOf(page);
  expect(text).toContain(from);
  await editor(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text.replace(from, to));
  await expect.poll(() => textOf(page)).toBe(text.replace(from, to));
}

/** Pastes as the clipboard of another program does. */
export const paste = (page: Page, selector: string, text: string) =>
  page.locator(selector).evaluate((target, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

/** Does what changes the preview, and waits until both designs show new pages. */
export async function changesBoth(page: Page, change: () => Promise<void>): Promise<void> {
  const names = ['Classic design, page 1', 'New design, page 1'];
  const before = await Promise.all(names.map(name => image(page, name).getAttribute('src')));
  await change();
  for (const [index, name] of names.entries())
    await expect.poll(() => image(page, name).getAttribute('src')).not.toBe(before[index]);
}

/** Saves a screenshot when STUDIO_IMAGES names a folder. */
export const shot = async (shown: Pick<Page, 'screenshot'>, name: string) =>
  void (process.env.STUDIO_IMAGES && (await shown.screenshot({ path: `${process.env.STUDIO_IMAGES}/${name}.png` })));

export async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(widths[0]).toBe(widths[1]);
}
