/** The input of the studio: form, editor, pasted rows and files, and the findings of the check. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright';
import { expect, it } from 'vitest';
import {
  changesBoth,
  client,
  editor,
  expectAccessible,
  image,
  logIn,
  paste,
  photoOrigin,
  replaceInEditor,
  textOf,
  useStudio,
} from '../../../support/studio.ts';

const { open } = await useStudio('studio-input');

const root = path.resolve(import.meta.dirname, '../../../..');

it('shows mistyped fields with the suggestion of the check, and errors at their fields', async () => {
  const page = await open();
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
});

it('names line and column of a syntax error, and undoes changes of editor, form and samples with the keyboard', async () => {
  const page = await open();
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
});

it('loads pasted rows and files with the field of each column, which it remembers, and listings of the API at once', async () => {
  const page = await open();
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
});

it('offers the terms of the vocabulary, and keeps other texts', async () => {
  const page = await open();
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
});

it('shows photos as thumbnails, which the arrow keys and the pointer move', async () => {
  const page = await open();
  const pixel = readFileSync(path.join(root, 'sandbox/photos/01.jpg'));
  await page.route(`${photoOrigin}/*`, route => route.fulfill({ contentType: 'image/jpeg', body: pixel }));
  const photos = page.getByLabel('Photos', { exact: true }).nth(1);
  const urls = ['a', 'b', 'c'].map(name => `${photoOrigin}/${name}.jpg`);
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
});

it('groups equal findings of several listings with their count, and leads to each', async () => {
  const page = await open();
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
});

it('leads a keyboard from the login over pasted rows and the form to the PDF', async () => {
  const page = await open();
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
});

it('edits Arabic texts from right to left', async () => {
  const page = await open();
  await page.getByLabel('Start from a sample').selectOption('arabic');
  const headline = page.getByRole('textbox', { name: 'Headline', exact: true });
  const isRightToLeft = () => headline.evaluate(element => element.matches(':dir(rtl)'));
  expect(await isRightToLeft()).toBe(true);
  await headline.fill('Villa');
  expect(await isRightToLeft()).toBe(false);
});
