/** Texts in the scripts of the buyers in Dubai are printed and can be copied; what no font has is left out with a warning. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const chinese = '位于棕榈岛的海滨别墅，设有五间卧室';
const russian = 'Вилла с пятью спальнями и частным пляжем';
const hindi = 'समुद्र तट के साथ विला';
const persian = 'چهار اتاق';

const listing = {
  reference_number: 'MP-1',
  title_en: 'Palm villa | 한국어 | 棕榈岛别墅',
  description_en: ['Exclusive villa.', chinese, russian, hindi, persian, 'วิลล่า'].join('\n\n'),
  purpose: 'Sale',
  property_type: 'Villa',
  price: '29000000',
};
const cover = { for: '김민준', note: 'Good morning' };

let brochures: BrochureService;
let pdf: Buffer;
const warnings: { pointer: string; detail: string }[] = [];
beforeAll(async () => {
  brochures = await startBrochureService('many-scripts');
  const { status, body } = await brochures.client.request('POST', '/apps/portal/v1/pdf-new', {
    body: { list: [listing], cover },
    headers: { accept: 'application/json', prefer: 'wait=120' },
  });
  expect(status).toBe(200);
  warnings.push(...Object(body).warnings);
  pdf = (await brochures.client.request('GET', `/jobs/${Object(body).id}/result`)).bytes;
});
afterAll(() => brochures?.close());

const hasPdftotext = spawnSync('pdftotext', ['-v']).error === undefined;

function textOfPdf(): string {
  const file = path.join(temporaryFolder(), 'many-scripts.pdf');
  writeFileSync(file, pdf);
  return execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }).replace(/\s+/g, ' ');
}

describe('a brochure in many scripts', () => {
  it.runIf(hasPdftotext).each([
    ['Chinese', chinese],
    ['Russian', russian],
    ['Hindi', hindi],
  ])('has its %s text', (_, text) => {
    expect(textOfPdf().replaceAll(' ', '')).toContain(text.replaceAll(' ', ''));
  });

  it.runIf(hasPdftotext)('has its title without what no font has, and without the separator', () => {
    expect(textOfPdf()).toContain('Palm villa | 棕榈岛别墅');
  });

  it('has the fonts of its scripts only', () => {
    const text = pdf.toString('latin1');
    for (const font of ['NotoSansSC', 'NotoSansDevanagari', 'IBMPlexSansArabic']) expect(text).toContain(font);
  });

  it('warns about each text that lacks characters', () => {
    const found = warnings.filter(({ detail }) => detail.startsWith('No font has'));
    expect(found.map(({ pointer }) => pointer).sort()).toEqual([
      '/cover/for',
      '/list/0/description_en',
      '/list/0/title_en',
    ]);
    expect(found.find(({ pointer }) => pointer === '/list/0/title_en')?.detail).toContain('한 (U+D55C)');
  });
});
