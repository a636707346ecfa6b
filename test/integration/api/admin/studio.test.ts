/** The studio: its login over HTTP, and the page in a browser with real previews, checks and prints. */

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeClientTypes } from '../../../../api/document/client-types.ts';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { findViolations } from '../../../support/find-violations.ts';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const httpCredentials = { username: 'duty', password: 'secret' };
const client = { id: 'studio-test', secret: randomUUID() };
const TokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() });
const run = promisify(execFile);

let brochures: BrochureService;
let browser: Browser;
let url: string;

beforeAll(async () => {
  const env = { OPS_USER: httpCredentials.username, OPS_PASSWORD: httpCredentials.password };
  brochures = await startBrochureService('studio', undefined, undefined, env);
  url = `${brochures.service.origin}/v2/studio`;
  await brochures.service.clients.put(
    { clientId: client.id, clientSecret: client.secret, name: 'Studio test', scopes: ['pdf', 'portal:read'] },
    { kind: 'command', name: 'test' },
  );
  browser = await sharedBrowser();
});
afterAll(() => brochures?.close());

describe('the token of an operator', () => {
  const basic = `Basic ${Buffer.from('duty:secret').toString('base64')}`;
  const request = (headers: Record<string, string>) =>
    fetch(`${brochures.service.origin}/v2/ops/studio-token`, { method: 'POST', headers });

  it('needs the operator login', async () => {
    const refused = await request({});
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://elsewhere.example' },
  ])('is not issued to a page of another site: %j', async headers => {
    expect((await request({ authorization: basic, ...headers })).status).toBe(403);
  });

  it('is not issued to a token with the scope ops, which would get another scope', async () => {
    const { accessToken } = await brochures.service.client(['ops']);
    expect((await request({ authorization: `Bearer ${accessToken}` })).status).toBe(403);
  });

  it('has the scope pdf for 15 minutes, of a client that cannot authenticate', async () => {
    const { oauth, clients } = brochures.service;
    const answer = await request({ authorization: basic });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { access_token, expires_in } = TokenAnswer.parse(await answer.json());
    expect(expires_in).toBe(900);
    expect(await oauth.findHolder(access_token)).toEqual({ clientId: 'studio', scopes: ['pdf'] });
    expect(await clients.find('studio')).toMatchObject({ isActive: true, secrets: [] });

    const by = { kind: 'command', name: 'test' } as const;
    await clients.deactivate('studio', by);
    expect(await oauth.findHolder(access_token)).toBeUndefined();
    expect((await request({ authorization: basic })).status).toBe(403);
    await clients.reactivate('studio', by);
    expect((await request({ authorization: basic })).status).toBe(200);
  });
});

/** Opens the studio. @returns also its errors and its requests to other sites, both expected to stay empty */
async function open(options: BrowserContextOptions = {}, hash = '', first = 'Headline') {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(error.message));
  page.on('console', message => {
    // Chromium reports each rejected request; the page shows why.
    if (message.type() === 'error' && !/status of 422/.test(message.text())) faults.push(message.text());
  });
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url());
    if (/^http/.test(protocol) && origin !== brochures.service.origin) faults.push(request.url());
  });
  await page.goto(url + hash);
  await page.getByRole('textbox', { name: first, exact: true }).waitFor();
  return { page, faults, close: () => context.close() };
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Client id').fill(client.id);
  await page.getByLabel('Client secret').fill(client.secret);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.getByText(`Logged in as ${client.id}.`).waitFor({ state: 'attached' });
}

const image = (page: Page, name: string) => page.getByRole('img', { name, exact: true });
const editor = (page: Page) => page.getByRole('textbox', { name: 'Request as JSON' });

/** The request as the page stores it. */
const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('portal-service-studio') ?? '{}').text);

/** Changes the text as a person would, so that the page hears of it. */
async function replaceInEditor(page: Page, from: string, to: string): Promise<void> {
  const text = await textOf(page);
  expect(text).toContain(from);
  await editor(page).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text.replace(from, to));
  await expect.poll(() => textOf(page)).toBe(text.replace(from, to));
}

/** Pastes as the clipboard of another program does. */
const paste = (page: Page, selector: string, text: string) =>
  page.locator(selector).evaluate((target, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

/** Does what changes the preview, and waits until both designs show new pages. */
async function changesBoth(page: Page, change: () => Promise<void>): Promise<void> {
  const names = ['Classic design, page 1', 'New design, page 1'];
  const before = await Promise.all(names.map(name => image(page, name).getAttribute('src')));
  await change();
  for (const [index, name] of names.entries())
    await expect.poll(() => image(page, name).getAttribute('src')).not.toBe(before[index]);
}

/** Saves a screenshot when STUDIO_IMAGES names a folder. */
const shot = async (shown: Pick<Page, 'screenshot'>, name: string) =>
  void (process.env.STUDIO_IMAGES && (await shown.screenshot({ path: `${process.env.STUDIO_IMAGES}/${name}.png` })));

async function expectAccessible(page: Page): Promise<void> {
  expect(await findViolations(page)).toEqual([]);
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(widths[0]).toBe(widths[1]);
}

describe('the studio', () => {
  it('is public, has no inline scripts or styles, and loads nothing from other sites', async () => {
    const answer = await fetch(`${url}/`);
    expect({ status: answer.status, url: answer.url }).toEqual({ status: 200, url });
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
  });

  it('previews both designs after a login, and again after changes in the form and in the editor', async () => {
    const { page, faults, close } = await open();
    expect(await image(page, 'New design, page 1').count()).toBe(0);
    await logIn(page);
    await image(page, 'Classic design, page 1').waitFor();
    await image(page, 'New design, page 2').waitFor();
    await changesBoth(page, () =>
      page
        .getByLabel('Photos', { exact: true })
        .nth(1)
        .fill(`${brochures.photos.photo(1)}\n${brochures.photos.photo(2)}\n`),
    );
    await changesBoth(page, () =>
      page.getByRole('textbox', { name: 'Headline', exact: true }).fill('A villa by the water'),
    );
    expect(await textOf(page)).toContain('"title_en": "A villa by the water"');
    await changesBoth(page, () => replaceInEditor(page, '"A villa by the water"', '"A house by the water"'));
    expect(await page.getByRole('textbox', { name: 'Headline', exact: true }).inputValue()).toBe(
      'A house by the water',
    );
    await changesBoth(page, async () => void (await page.getByLabel('Language of labels').selectOption('ar')));
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the mail at both widths, without scripts, and again after a change', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    await page.getByRole('button', { name: 'Mail', exact: true }).click();
    const frames = ['Mail, 600 pixels', 'Mail, 390 pixels'];
    for (const title of frames) {
      const frame = page.locator(`iframe[title="${title}"]`);
      expect(await frame.getAttribute('sandbox')).toBe('');
      const mail = frame.contentFrame();
      await mail.getByText('Open the brochure', { exact: true }).waitFor();
      for (const picture of await mail.locator('img').all())
        expect(await picture.evaluate(image => Reflect.get(image, 'naturalWidth'))).toBeGreaterThan(0);
      const widths = await mail.locator('html').evaluate(html => [html.scrollWidth, html.clientWidth]);
      expect(widths[0]).toBe(widths[1]);
      await shot(frame, title);
    }
    await expectAccessible(page);
    await shot(page, 'studio-mail');
    await page.getByRole('textbox', { name: 'Headline', exact: true }).fill('A villa by the water');
    await page.locator('iframe[inert]').first().waitFor();
    for (const title of frames)
      await page.frameLocator(`iframe[title="${title}"]`).getByText('A villa by the water').last().waitFor();
    expect(await page.locator('iframe[inert]').count()).toBe(0);
    await page.getByLabel('Language of labels').selectOption('ar');
    for (const title of frames) {
      const frame = page.locator(`iframe[title="${title}"]`);
      await frame.contentFrame().getByText('افتح الكتيّب', { exact: true }).waitFor();
      expect(await frame.contentFrame().locator('html').getAttribute('dir')).toBe('rtl');
      await shot(frame, `${title}, Arabic`);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('marks the preview as out of date from the first keystroke, with its buttons off, until it shows the input', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    const buttons = ['Enlarge page 1 of the classic design', 'Enlarge page 2 of the new design', 'PDF, new'];
    const areOn = () => Promise.all(buttons.map(name => page.getByRole('button', { name }).isEnabled()));
    await expect.poll(areOn).toEqual([true, true, true]);
    const held: (() => Promise<void>)[] = [];
    let isHolding = true;
    await page.route('**/pdf/preview', route =>
      isHolding ? void held.push(() => route.continue()) : route.continue(),
    );
    const price = page.getByRole('textbox', { name: 'Price, AED' });
    await price.press('End');
    await price.press('0');
    expect(await areOn()).toEqual([false, false, false]);
    expect(await page.getByText('Out of date').isVisible()).toBe(true);
    await expect.poll(() => held.length).toBe(2);
    isHolding = false;
    await Promise.all(held.map(release => release()));
    await expect.poll(areOn).toEqual([true, true, true]);
    expect(await page.getByText('Out of date').count()).toBe(0);

    await page.getByRole('textbox', { name: 'Headline', exact: true }).fill('');
    await page.getByText('The preview waits until the errors are corrected.').waitFor();
    expect(await areOn()).toEqual([false, false, false]);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows mistyped fields with the suggestion of the check, and errors at their fields', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    await replaceInEditor(page, '"bedroom"', '"bedrooms"');
    const unknown = page.getByRole('group', { name: 'Unknown fields' });
    await unknown.getByText('is unknown; did you mean bedroom?').waitFor();
    await expectAccessible(page);
    await unknown.getByRole('button', { name: 'Rename to bedroom' }).click();
    expect(await textOf(page)).toContain('"bedroom": "5"');
    await expect.poll(() => unknown.isVisible()).toBe(false);

    await replaceInEditor(page, '"title_en"', '"titel_en"');
    await unknown.getByText('is unknown; did you mean title_en?').waitFor();
    const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
    expect(await headline.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#field-title_en-findings').textContent()).toContain('must not be empty');
    await unknown.getByRole('button', { name: 'Rename to title_en' }).click();

    const price = page.getByRole('textbox', { name: 'Price, AED' });
    await price.fill('0');
    await page.getByText(/^1 error/).click();
    await page.getByRole('button', { name: /price: The price is 0/ }).click();
    expect(await price.evaluate(element => element === document.activeElement)).toBe(true);
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });

  it('names line and column of a syntax error, and undoes changes of editor, form and samples with the keyboard', async () => {
    const { page, faults, close } = await open();
    const first = await textOf(page);
    await replaceInEditor(page, '"purpose": "Sale",', '"purpose": Sale,');
    const line = first.slice(0, first.indexOf('"purpose"')).split('\n').length;
    await page.getByText(`Line ${line}, column 18: Sale needs double quotes.`).waitFor();
    const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
    expect(await headline.isDisabled()).toBe(true);
    await expectAccessible(page);
    await editor(page).press('Control+z');
    expect(await textOf(page)).toBe(first);

    await headline.fill('Another villa');
    const changed = await textOf(page);
    await page.getByLabel('Start from a sample').selectOption('arabic');
    await headline.press('Control+z');
    expect(await headline.inputValue()).toBe('Another villa');
    await headline.press('Control+z');
    expect(await textOf(page)).toBe(first);
    await headline.press('Control+Shift+z');
    expect(await textOf(page)).toBe(changed);
    expect(faults).toEqual([]);
    await close();
  });

  it('loads pasted rows and files with the field of each column, which it remembers, and listings of the API at once', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    await image(page, 'New design, page 2').waitFor();
    const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
    const dialog = page.getByRole('dialog', { name: 'Paste or open listings' });
    const rows = 'Ref No.\tTitle\tAsking price\tOur note\nA-1\tVilla, quiet\t2,000,000\tsea\nA-2\tLoft\t900,000\tcity';
    await paste(page, '#field-title_en', rows);
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Field of Our note').selectOption({ label: 'Views' });
    await changesBoth(page, () => dialog.getByRole('button', { name: 'Load 2 listings' }).click());
    expect(await headline.inputValue()).toBe('Villa, quiet');
    expect(await page.getByRole('textbox', { name: 'Views' }).inputValue()).toBe('sea');

    await page.getByRole('button', { name: 'Paste or open…' }).click();
    const csv = Buffer.from('\uFEFFRef No.;Title;Our note\r\nB-1;"Plot; ""corner"" unit";garden\r\n');
    await dialog.getByLabel('Or a file').setInputFiles({ name: 'sheet.csv', mimeType: 'text/csv', buffer: csv });
    expect(await dialog.getByLabel('Field of Our note').inputValue()).toBe('views');
    await dialog.getByRole('button', { name: 'Load 1 listing' }).press('Enter');
    expect(await headline.inputValue()).toBe('Plot; "corner" unit');

    await paste(page, 'body', JSON.stringify([{ reference_number: 'C-1', title_en: 'Palace', price: 1, own: 'kept' }]));
    expect(await headline.inputValue()).toBe('Palace');
    expect(await page.getByRole('group', { name: 'Unknown fields' }).textContent()).toContain('own kept');
    const list = [{ reference_number: 'D-1', title_en: 'Palace', price: '1' }];
    await paste(page, 'body', JSON.stringify({ list, language: 'ar', trackLinks: true }));
    expect(JSON.parse(await textOf(page))).toEqual({ list, language: 'ar', trackLinks: true });
    await paste(page, '#field-description_en', 'Sea view, pool, and garden.\nQuiet, too.');
    expect(await dialog.isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Remove this listing' }).click();
    await page.getByText('The request has no listing.').waitFor();
    expect(await page.getByRole('img', { name: /design, page/ }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('offers the terms of the vocabulary, and keeps other texts', async () => {
    const { page, faults, close } = await open();
    const period = page.getByLabel('Rental period', { exact: true });
    await page.getByLabel('Purpose', { exact: true }).selectOption('Rent');
    await period.selectOption({ label: 'Month' });
    expect(JSON.parse(await textOf(page)).list[0]).toMatchObject({ purpose: 'Rent', rental_period: 'month' });
    await period.selectOption({ label: 'Other…' });
    await page.keyboard.insertText('for the summer');
    expect(JSON.parse(await textOf(page)).list[0].rental_period).toBe('for the summer');
    await replaceInEditor(page, '"property_type": "Villa"', '"property_type": "VH"');
    expect(await page.getByLabel('Property type, other text').inputValue()).toBe('VH');
    await page.getByLabel('Property type', { exact: true }).selectOption('Penthouse');
    expect(JSON.parse(await textOf(page)).list[0].property_type).toBe('Penthouse');
    expect(await page.getByLabel('Property type, other text').isVisible()).toBe(false);
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows photos as thumbnails, which the arrow keys and the pointer move', async () => {
    const { page, close } = await open();
    const pixel = readFileSync(path.join(root, 'sandbox/photos/01.jpg'));
    await page.route('https://photos.example/*', route => route.fulfill({ contentType: 'image/jpeg', body: pixel }));
    const photos = page.getByLabel('Photos', { exact: true }).nth(1);
    const urls = ['a', 'b', 'c'].map(name => `https://photos.example/${name}.jpg`);
    await photos.fill(urls.join('\n'));
    const thumbnail = (name: string) => page.getByRole('button', { name: new RegExp(`Photo \\d of 3: ${name}.jpg`) });
    const loaded = () =>
      thumbnail('a')
        .locator('img')
        .evaluate(picture => Reflect.get(picture, 'naturalWidth') > 0);
    await thumbnail('a').scrollIntoViewIfNeeded();
    await expect.poll(loaded).toBe(true);
    await expectAccessible(page);
    const order = async () => (await photos.inputValue()).match(/[abc](?=\.jpg)/g)?.join('');
    await thumbnail('a').press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await order()).toBe('bca');
    await thumbnail('a').dragTo(thumbnail('b'));
    expect(await order()).toBe('abc');
    expect(JSON.parse(await textOf(page)).list[0].photo).toEqual(urls);
    await close();
  });

  it('groups equal findings of several listings with their count, and leads to each', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    const listings = Array.from({ length: 4 }, (_, at) => ({
      reference_number: `R-${at}`,
      title_en: 'Villa',
      price: '1250000',
      bitrix_id: at,
    }));
    await paste(page, 'body', JSON.stringify(listings));
    await page.getByText(/hints?$/).click();
    const group = page.getByText(/4 × bitrix_id/);
    await group.click();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^(warning|hint|error): 3, bitrix_id/ }).press('Enter');
    expect(await page.getByLabel('Listing in the form').inputValue()).toBe('2');
    expect(faults).toEqual([]);
    await close();
  });

  it('leads a keyboard from the login over pasted rows and the form to the PDF', async () => {
    const { page, faults, close } = await open();
    const tabTo = async (name: string | RegExp, role: Parameters<Page['getByRole']>[0] = 'button') => {
      const target = page.getByRole(role, { name, exact: true });
      for (let presses = 0; presses < 150; presses++) {
        if (await target.evaluate(element => element.matches(':focus')).catch(() => false)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    await tabTo('Client id', 'textbox');
    await page.keyboard.type(client.id);
    await tabTo('Client secret', 'textbox');
    await page.keyboard.type(client.secret);
    await page.keyboard.press('Enter');
    await page.getByText(`Logged in as ${client.id}.`).waitFor({ state: 'attached' });
    await tabTo('Paste or open…');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('Ref\tTitle\tPrice\nK-1\tVilla\t1000000\n');
    await tabTo('Load 1 listing');
    await page.keyboard.press('Enter');
    await tabTo('Headline', 'textbox');
    await page.keyboard.type(' by the sea');
    await tabTo('Request as JSON', 'textbox');
    await tabTo('Copy');
    await page.getByRole('button', { name: 'PDF, new' }).and(page.locator(':enabled')).waitFor();
    await tabTo('PDF, new');
    const download = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await download).suggestedFilename()).toMatch(/K-1/);
    expect(faults).toEqual([]);
    await close();
  });

  it('begins with the login on a phone', async () => {
    const { page, faults, close } = await open({ viewport: { width: 390, height: 844 } }, '', 'Client id');
    await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
    await close();
  });

  it('edits Arabic texts from right to left', async () => {
    const { page, faults, close } = await open();
    await page.getByLabel('Start from a sample').selectOption('arabic');
    const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
    const isRightToLeft = () => headline.evaluate(element => element.matches(':dir(rtl)'));
    expect(await isRightToLeft()).toBe(true);
    await headline.fill('Villa');
    expect(await isRightToLeft()).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps the request over a reload, with the login of an operator and without a token', async () => {
    const { page, faults, close } = await open({ httpCredentials });
    await page.goto(`${brochures.service.origin}/v2/ops`);
    await page.getByRole('link', { name: 'Studio' }).click();
    await page.getByText('Logged in as operator.').waitFor();
    await page.getByLabel('Start from a sample').selectOption('collection');
    await page.getByRole('button', { name: 'Add a listing' }).click();
    const text = await textOf(page);
    const stored = () => page.evaluate(() => JSON.stringify({ ...localStorage }));
    expect(await stored()).not.toContain('pst_');
    await page.reload();
    await page.getByText('Logged in as operator.').waitFor();
    expect(await textOf(page)).toBe(text);
    expect(await page.getByLabel('Listing in the form').inputValue()).toBe(String(JSON.parse(text).list.length - 1));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('gets a new token when the old one has expired, and asks for the login when there is none', async () => {
    const { page, faults, close } = await open();
    const { accessToken } = await brochures.service.client(['pdf']);
    const expire = () => brochures.service.database.pool.query('update oauth_token set expires_at = now()');
    const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
    await logIn(page);
    await image(page, 'New design, page 2').waitFor();
    await expire();
    await changesBoth(page, () => headline.fill('A villa'));
    await page.getByRole('button', { name: 'Log out' }).click();

    await page.getByText('Or an access token').click();
    await page.getByLabel('Access token with the scope pdf').fill(accessToken);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByText('The access token is unknown, expired or revoked.').first().waitFor();
    await page.getByRole('button', { name: 'Use the operator login' }).waitFor();
    expect(faults.filter(fault => !/status of 401/.test(fault))).toEqual([]);
    await close();
  });

  it('saves the PDF, and shows a command and a program that do the same', async () => {
    const { page, faults, close } = await open();
    await logIn(page);
    await page.getByRole('textbox', { name: 'Headline', exact: true }).fill('The "owner’s" villa — it\'s `new` in دبي');
    await page.getByRole('combobox', { name: 'Cover' }).selectOption('own');
    await page.getByLabel('Prepared for').fill('Mr and Mrs Al Suwaidi');
    await image(page, 'Cover').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'PDF, new' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/MP-S-2041.*\.pdf$/);
    expect(readFileSync(await saved.path(), 'latin1').slice(0, 5)).toBe('%PDF-');
    await page.getByText(/: 3 pages, \d+ KB/).waitFor();

    const folder = temporaryFolder();
    const env = { PATH: process.env.PATH, PORTAL_CLIENT_ID: client.id, PORTAL_CLIENT_SECRET: client.secret };
    const brochure = path.join(folder, 'brochure.pdf');
    const codeOf = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      return (await page.getByRole('region', { name: 'Code' }).textContent()) ?? '';
    };
    await run('sh', ['-c', await codeOf('curl')], { cwd: folder, env });
    expect(readFileSync(brochure, 'latin1').slice(0, 5)).toBe('%PDF-');
    writeFileSync(brochure, '');

    const types = { types: ['node'], typeRoots: [`${root}/node_modules/@types`] };
    const paths = {
      'portal-service-client': [`${root}/client/src/index.ts`],
      'portal-service-client/node': [`${root}/client/src/node.ts`],
    };
    const lib = ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'];
    const settings = {
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    };
    const compilerOptions = { ...settings, ...types, lib, paths };
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['print.ts'] }));
    writeFileSync(path.join(folder, 'print.ts'), await codeOf('TypeScript'));
    await writeClientTypes();
    await run(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', folder, '--singleThreaded']).catch(
      error => {
        throw new Error(error.stdout);
      },
    );
    await run(process.execPath, ['--import', `${root}/node_modules/tsx/dist/loader.mjs`, 'print.ts'], {
      cwd: folder,
      env,
    });
    expect(readFileSync(brochure, 'latin1').slice(0, 5)).toBe('%PDF-');
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    { width: 390, colorScheme: 'dark' },
    { width: 1_024, colorScheme: 'light' },
  ] as const)('works at $width pixels, $colorScheme', async ({ width, colorScheme }) => {
    const { page, faults, close } = await open(
      { httpCredentials, colorScheme, viewport: { width, height: 844 } },
      '#operator',
    );
    await page.getByRole('link', { name: 'Operations' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Code', exact: true }).click();
    await editor(page).waitFor();
    await expectAccessible(page);
    if (width < 1_024) await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await image(page, 'New design, page 2').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Enlarge page 1 of the new design' }).click();
    await page.getByRole('dialog').getByRole('img').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });
});
