import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finishPdf } from '../../../../support/finish-pdf.ts';
import { documentOf, italicFont, origin, photo, testPrinter } from '../../../../support/printing.ts';

const font = await italicFont();
const assets = new Map([[`${origin}/italic.ttf`, font]]);
for (const colour of ['red', 'green', 'blue']) assets.set(`${origin}/${colour}.jpg`, await photo(colour));

/** Everything that Chromium numbers, names or draws in its own way. */
const listing = (index: number) => `
  <h1 id="home-${index}">Home ${index}</h1><p style="font-family: serif">In the fallback font: ﬁne “quotes”.</p>
  <ul><li>Pool</li><li>Garden</li></ul><a href="#home-0">To the first</a> <a href="mailto:a@b.example">Write</a>
  ${['red', 'green', 'blue'].map(colour => `<img src="${origin}/${colour}.jpg" alt="${colour}">`).join('')}
  <svg width="60" height="60"><defs><linearGradient id="g"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient></defs>
    <circle cx="30" cy="30" r="28" fill="url(#g)"/></svg>
  <div style="width: 40mm; height: 10mm; opacity: 0.5; border-radius: 3mm; background: linear-gradient(45deg, red, blue)"></div>`;
const html = documentOf(...Array.from({ length: 12 }, (_, index) => listing(index)));
const other = documentOf('<h1>Another document</h1><p>between the two</p>');

const properties = {
  title: 'Homes by the sea',
  author: 'A Brokerage',
  subject: 'Twelve listings',
  creator: 'Portal Service',
  language: 'en',
  fingerprint: 'the input, the design, the photos',
};

const request = (document: string) => ({ html: document, assets, signal: AbortSignal.timeout(30_000) });

it('the same document has the same bytes on a used page, on a concurrent page and in another browser', async () => {
  const printer = await testPrinter({ pages: 2 });
  const first = await printer.print(request(html));
  await printer.print(request(other));
  const [again, beside] = await Promise.all([printer.print(request(html)), printer.print(request(html))]);
  await printer.close();
  const elsewhere = await testPrinter({ pages: 1 });
  // Chromium's dates have a resolution of one second.
  const second = () => Math.floor(Date.now() / 1_000);
  const before = second();
  await expect.poll(second).toBeGreaterThan(before);
  const later = await elsewhere.print(request(html));
  await elsewhere.close();
  const [expected, ...others] = [first, again, beside, later].map(({ pdf }) =>
    Buffer.concat(finishPdf(pdf, properties)),
  );
  for (const finished of others) expect(expected?.equals(finished)).toBe(true);
});

it('a table with header cells, which Chromium numbers in another way each time, is rejected', async () => {
  const printer = await testPrinter({ pages: 1 });
  const { pdf } = await printer.print(
    request(documentOf('<table><tr><th>Size</th></tr><tr><td>1,312</td></tr></table>')),
  );
  await printer.close();
  expect(() => finishPdf(pdf, properties)).toThrow('The PDF has a table with header cells.');
});

/** Whether an optional program is installed. */
function has(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

describe('a finished print', () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    const printer = await testPrinter({ pages: 1 });
    const { pdf } = await printer.print(request(html));
    await printer.close();
    folder = await mkdtemp(join(tmpdir(), 'finished-'));
    file = join(folder, 'finished.pdf');
    await writeFile(file, Buffer.concat(finishPdf(pdf, properties)));
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it.runIf(has('qpdf'))('passes qpdf’s check', () => {
    const said = execFileSync('qpdf', ['--check', file], { encoding: 'utf8' });
    expect(said).toContain('No syntax or stream encoding errors');
  });

  it.runIf(has('pdfinfo'))('has its properties and no dates in pdfinfo', () => {
    const info = execFileSync('pdfinfo', [file], { encoding: 'utf8' });
    for (const line of [/Title: +Homes by/, /Author: +A Brokerage/, /Subject: +Twelve/, /Tagged: +yes/]) {
      expect(info).toMatch(line);
    }
    expect(info).not.toMatch(/CreationDate|ModDate/);
  });

  it('has a bookmark for each listing', async () => {
    const pdf = await readFile(file, 'latin1');
    for (let index = 0; index < 12; index++) expect(pdf).toContain(`/Title (Home ${index})`);
  });
});
