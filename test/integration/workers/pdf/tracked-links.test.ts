/** With `trackLinks` each listing has its own short link, so that a brokerage sees which brochures are opened. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLinks } from '../../../../core/domain/links/links.ts';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let brochures: BrochureService;
beforeAll(async () => {
  brochures = await startBrochureService('tracked-links');
});
afterAll(() => brochures?.close());

const list = (references: readonly string[]) =>
  references.map(reference_number => ({
    reference_number,
    title_en: 'A home',
    photo: [brochures.photos.photo(1)],
  }));

async function print(operation: string, references: readonly string[], more: object = {}) {
  const { status, headers, bytes } = await brochures.client.request('POST', operation, {
    body: { list: list(references), ...more },
    headers: { accept: 'application/pdf' },
  });
  expect(status, bytes.toString('latin1', 0, 500)).toBe(200);
  return { bytes, job: headers.get('location')?.split('/').at(-1) ?? '' };
}

const links = () =>
  createLinks(brochures.service.database, 'http://portal.example').list({ kind: 'brochure', limit: 50 });

/** Link annotations are plain text in Chromium's PDFs. */
const printedLinks = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/URI \((http[^)]*\/r\/[^)]+)\)/g)].map(([, url = '']) => url);

it('tracks nothing by default', async () => {
  const { bytes } = await print('/apps/portal/v1/pdf-new', ['R-9']);
  expect(printedLinks(bytes)).toEqual([]);
  expect(bytes.toString('latin1')).toContain('/URI (https://meridianpalm.example/homes/R-9)');
  expect((await links()).map(({ reference }) => reference)).not.toContain('R-9');
});

it.each(['/apps/portal/v1/pdf', '/apps/portal/v1/pdf-new'])(
  '%s prints a short link for each listing, the same one each time',
  async operation => {
    const { bytes } = await print(operation, ['R-1', 'R-2'], { trackLinks: true });
    const printed = [...new Set(printedLinks(bytes))];
    const again = await print(operation, ['R-2'], { trackLinks: true });
    const made = await links();
    expect(made.map(({ reference }) => reference).sort()).toEqual(['R-1', 'R-2']);
    expect(made.map(({ target }) => target).sort()).toEqual([
      'https://meridianpalm.example/homes/R-1?utm_source=brochure&utm_medium=pdf',
      'https://meridianpalm.example/homes/R-2?utm_source=brochure&utm_medium=pdf',
    ]);
    expect(printed.sort()).toEqual(made.map(({ shortUrl }) => shortUrl).sort());
    expect([...new Set(printedLinks(again.bytes))]).toEqual(
      made.filter(({ reference }) => reference === 'R-2').map(({ shortUrl }) => shortUrl),
    );
  },
);

it.runIf(spawnSync('pdftoppm', ['-v']).error === undefined)('prints the QR code on the page', async () => {
  const [plain, tracked] = [
    await print('/apps/portal/v1/pdf-new', ['R-1']),
    await print('/apps/portal/v1/pdf-new', ['R-1'], { trackLinks: true }),
  ];
  const folder = temporaryFolder();
  const darkness = ({ bytes }: { bytes: Buffer }, name: string): number => {
    writeFileSync(path.join(folder, `${name}.pdf`), bytes);
    const page = execFileSync('pdftoppm', [
      '-r',
      '40',
      '-gray',
      '-f',
      '2',
      '-l',
      '2',
      path.join(folder, `${name}.pdf`),
    ]);
    return page.filter(grey => grey < 100).length;
  };
  // 22 mm at 40 dpi are 35 × 35 pixels; about half of a QR code is dark.
  expect(darkness(tracked, 'tracked') - darkness(plain, 'plain')).toBeGreaterThan(200);
});
