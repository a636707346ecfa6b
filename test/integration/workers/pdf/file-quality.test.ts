/** Quality of the file for readers, screen readers, archives and mail servers. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const realPhoto = readFileSync(path.join(import.meta.dirname, '../../../../sandbox/photos/07.jpg'));
const designs = [
  { design: 'classic', operation: '/apps/portal/v1/pdf', pagesEach: 1 },
  { design: 'new', operation: '/apps/portal/v1/pdf-new', pagesEach: 2 },
] as const;

let brochures: BrochureService;
beforeAll(async () => {
  brochures = await startBrochureService('file-quality', realPhoto);
});
afterAll(() => brochures?.close());

const titles = ['Corner apartment over the marina', 'Villa with a garden – فيلا', 'Townhouse by the park'];

const listing = (title: string, index: number) => ({
  reference_number: `MP-${index}041`,
  title_en: title,
  permit_number: '7116777484',
  permit_url: 'https://trakheesi.dubailand.gov.ae/rev/madmoun/listing/validation?khevJujtDig=SAMPLE1',
  purpose: 'Sale',
  property_type: 'Apartment',
  completion_status: 'Ready',
  price: '2,450,000',
  city: 'Dubai',
  community: 'Dubai Marina',
  tower_name: 'Aurora Tower',
  size: '1312',
  bedroom: '2',
  bathroom: '3',
  parking: '1',
  furnished: 'Furnished',
  views: 'Sea',
  description_en: 'The kitchen was opened to the living room last year. Floors are oak and travertine.',
  amenities: 'Balcony, Shared Pool, Concierge',
  geopoints: '25.0805, 55.1403',
  agent: {
    name: 'Layla Haddad',
    email: 'layla@agency.example',
    phone: '+971501234501',
    brn_number: '54821',
    photo: brochures.photos.photo(99),
  },
  photo: Array.from({ length: 6 }, (_, place) => brochures.photos.photo(index * 10 + place)),
});

/** Whether an optional program is installed. */
const has = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;

describe.each(designs)('a brochure of the $design design', ({ design, operation, pagesEach }) => {
  const file = path.join(temporaryFolder(), `${design}.pdf`);
  let pdf: Buffer;

  beforeAll(async () => {
    const { status, bytes } = await brochures.client.request('POST', operation, {
      body: { list: titles.map(listing) },
      headers: { accept: 'application/pdf' },
    });
    expect(status, bytes.toString('latin1', 0, 500)).toBe(200);
    pdf = bytes;
    writeFileSync(file, bytes);
  });

  const outputOf = (program: string, ...options: string[]): string =>
    execFileSync(program, [...options, ...(program === 'pdftotext' ? [file, '-'] : [file])], {
      encoding: 'utf8',
    });

  it('has at most 400 KB per page with photos and fonts', () => {
    expect(pdf.length / (titles.length * pagesEach)).toBeLessThan(400_000);
  });

  it.runIf(has('qpdf'))('passes the check of qpdf', () => {
    expect(outputOf('qpdf', '--check')).toContain('No syntax or stream encoding errors');
  });

  it.runIf(has('pdfinfo'))('is tagged, A4, has language, title, author and subject, and displays its title', () => {
    const info = outputOf('pdfinfo');
    for (const line of [/Title: +3 properties/, /Author: +\S/, /Subject: +Property listing MP-0041/, /Tagged: +yes/]) {
      expect(info).toMatch(line);
    }
    expect(info).toMatch(/Page size: +59[45]\.\d+ x 84[12]\.\d+ pts \(A4\)/);
    expect(info).toMatch(/JavaScript: +no/);
    const text = pdf.toString('latin1');
    expect(text).toContain('/Lang (en)');
    expect(text).toContain('/DisplayDocTitle true');
    expect(outputOf('pdfinfo', '-meta')).toMatch(/<dc:title>.*3 properties/s);
  });

  it.runIf(has('pdffonts'))('contains only the fonts of the project, each embedded as a subset', () => {
    const fonts = outputOf('pdffonts')
      .split('\n')
      .slice(2)
      .filter(line => line !== '');
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) {
      expect(font).toMatch(
        /^[A-Z]{6}\+(CormorantGaramond|Manrope|NotoNaskhArabic|IBMPlexSansArabic|NotoEmoji|NotoSans)/,
      );
      // Embedded, subset, with a map back to Unicode.
      expect(font).toMatch(/ yes yes yes /);
    }
  });

  it('has a bookmark for each listing, in the order of the list', () => {
    const outline = pdf.toString('latin1');
    const inUtf16 = (text: string) => `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;
    const places = titles.map(title =>
      Math.max(outline.indexOf(`/Title (${title})`), outline.indexOf(`/Title ${inUtf16(title)}`)),
    );
    expect(
      places.every(place => place > 0),
      String(places),
    ).toBe(true);
  });

  it.runIf(has('pdfinfo'))('links to phone, e-mail, WhatsApp, map and permit', () => {
    const links = outputOf('pdfinfo', '-url');
    for (const link of [
      'tel:+971501234501',
      'mailto:layla@agency.example',
      'https://wa.me/',
      '25.0805,55.1403',
      'khevJujtDig=SAMPLE1',
    ]) {
      expect(links).toContain(link);
    }
  });

  it('has alternative texts for its photos', () => {
    const alternatives = pdf.toString('latin1').match(/\/Alt \([^)]+\)/g) ?? [];
    expect(
      alternatives.filter(text => /Apartment, .*Dubai.*: photo \d of \d/.test(text)).length,
    ).toBeGreaterThanOrEqual(titles.length * 3);
  });

  it.runIf(has('pdftotext'))('contains every field as text', () => {
    const text = outputOf('pdftotext', '-raw').replaceAll(/\s+/g, ' ').toLowerCase();
    const words = [
      '2,450,000',
      'Aurora Tower',
      'Dubai Marina',
      '1,312',
      'The kitchen was opened',
      'travertine',
      'Balcony',
    ];
    for (const word of [
      ...words,
      'Concierge',
      'Ready',
      'Sea',
      'Layla Haddad',
      '54821',
      'layla@agency.example',
      '7116777484',
      'MP-1041',
    ]) {
      expect(text).toContain(word.toLowerCase());
    }
  });

  it.runIf(has('pdfinfo'))('has a reading order: title, price, facts, description, amenities, next listing', () => {
    const read = outputOf('pdfinfo', '-struct-text')
      .replaceAll(/"\n\s*"/g, '')
      .replaceAll(/\s+/g, ' ');
    const order = ['Corner apartment', '2,450,000', '1,312', 'The kitchen was', 'Balcony', 'Townhouse by'];
    const places = order.map(word => read.indexOf(word));
    expect(
      places.every(place => place >= 0),
      `${order} at ${places}`,
    ).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });
});
