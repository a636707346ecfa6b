/** The studio in a browser: real previews, mails, prints and programs. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { writeClientTypes } from '../../../../api/document/client-types.ts';
import {
  changesBoth,
  client,
  editor,
  expectAccessible,
  httpCredentials,
  image,
  logIn,
  replaceInEditor,
  shot,
  textOf,
  useStudio,
} from '../../../support/studio.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const { open, photos } = await useStudio('studio');

const root = path.resolve(import.meta.dirname, '../../../..');
const run = promisify(execFile);

it('previews both designs after a login, and again after changes in the form and in the editor', async () => {
  const page = await open();
  expect(await image(page, 'New design, page 1').count()).toBe(0);
  await logIn(page);
  await image(page, 'Classic design, page 1').waitFor();
  await image(page, 'New design, page 2').waitFor();
  await changesBoth(page, () =>
    page
      .getByLabel('Photos', { exact: true })
      .nth(1)
      .fill(`${photos.photo(1)}\n${photos.photo(2)}\n`),
  );
  await changesBoth(page, () =>
    page.getByRole('textbox', { name: 'Headline', exact: true }).fill('A villa by the water'),
  );
  expect(await textOf(page)).toContain('"title_en": "A villa by the water"');
  await changesBoth(page, () => replaceInEditor(page, '"A villa by the water"', '"A house by the water"'));
  expect(await page.getByRole('textbox', { name: 'Headline', exact: true }).inputValue()).toBe('A house by the water');
  await changesBoth(page, async () => void (await page.getByLabel('Language of labels').selectOption('ar')));
});

it('shows the mail at both widths, without scripts, and again after a change', async () => {
  const page = await open();
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
});

it('marks the preview as out of date from the first keystroke, with its buttons off, until it shows the input', async () => {
  const page = await open();
  await logIn(page);
  const buttons = ['Enlarge page 1 of the classic design', 'Enlarge page 2 of the new design', 'PDF, new'];
  const areOn = () => Promise.all(buttons.map(name => page.getByRole('button', { name }).isEnabled()));
  await expect.poll(areOn).toEqual([true, true, true]);
  const held: (() => Promise<void>)[] = [];
  let isHolding = true;
  await page.route('**/pdf/preview', route => (isHolding ? void held.push(() => route.continue()) : route.continue()));
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
});

it('saves the PDF, and shows a command and a program that do the same', async () => {
  const page = await open();
  await logIn(page);
  await page.getByRole('textbox', { name: 'Headline', exact: true }).fill('The "owner’s" villa — it\'s `new` in دبي');
  await page.getByRole('combobox', { name: 'Cover' }).selectOption('own');
  await page.getByLabel('Prepared for').fill('Mr and Mrs Al Suwaidi');
  for (const [name, value] of [
    ['Photos', 'print'],
    ['Crop marks', 'true'],
    ['Pages of the new design', 'auto'],
    ['Gallery', 'full'],
  ] as const)
    await page.getByRole('combobox', { name }).selectOption(value);
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
  const command = await codeOf('curl');
  expect(command.replaceAll(/\s/g, '')).toContain('"cropMarks":true');
  await run('sh', ['-c', command], { cwd: folder, env });
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
});

it.each([
  { width: 390, colorScheme: 'dark' },
  { width: 1_024, colorScheme: 'light' },
] as const)('works at $width pixels, $colorScheme', async ({ width, colorScheme }) => {
  const page = await open({ httpCredentials, colorScheme, viewport: { width, height: 844 } }, '#operator');
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
});
