import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countPages, dictionaryAt, objectAt, readPdfFile } from '../../../../../workers/pdf/print/pdf-file.ts';
import type { PdfProperties } from '../../../../../workers/pdf/print/pdf-properties.ts';
import { finishPdf as finishInPlace } from '../../../../support/finish-pdf.ts';
import { datedPdf, smallPdf } from '../../../../support/small-pdf.ts';

const properties = {
  title: 'Homes (3) by the sea',
  author: 'A Brokerage',
  subject: 'Three listings',
  creator: 'Portal Service',
  language: 'en',
  fingerprint: 'input, design and photos',
};

const finishPdf = (pdf: Buffer, wanted: PdfProperties): Buffer =>
  Buffer.concat(finishInPlace(Buffer.from(pdf), wanted));

function infoOf(pdf: Buffer) {
  const file = readPdfFile(pdf);
  return dictionaryAt(pdf, objectAt(file, file.info ?? 0)).entries;
}

function catalogOf(pdf: Buffer) {
  const file = readPdfFile(pdf);
  return dictionaryAt(pdf, objectAt(file, file.root)).entries;
}

function xmpOf(pdf: Buffer): string {
  const metadata = Number.parseInt(catalogOf(pdf).get('Metadata') ?? '', 10);
  return pdf.toString('utf8', objectAt(readPdfFile(pdf), metadata));
}

describe('finishPdf', () => {
  it('produces the same bytes for prints with different dates', () => {
    const early = finishPdf(datedPdf('11'), properties);
    const late = finishPdf(datedPdf('59'), properties);
    expect(early.equals(late)).toBe(true);
    expect(early.toString('latin1')).not.toContain('D:2026');
  });

  it('produces another file identifier for another fingerprint', () => {
    const one = finishPdf(datedPdf('11'), properties);
    const two = finishPdf(datedPdf('11'), { ...properties, fingerprint: 'another input' });
    const id = /\/ID \[<([0-9A-F]{32})> <\1>\]/;
    expect(id.exec(one.toString('latin1'))?.[1]).not.toBe(id.exec(two.toString('latin1'))?.[1]);
  });

  it('sets the properties and keeps the producer', () => {
    const info = infoOf(finishPdf(datedPdf('11'), properties));
    expect(Object.fromEntries(info)).toEqual({
      Title: '(Homes \\(3\\) by the sea)',
      Author: '(A Brokerage)',
      Subject: '(Three listings)',
      Creator: '(Portal Service)',
      Producer: '(Skia/PDF m147)',
    });
  });

  it('keeps the catalog and adds language, title display and metadata', () => {
    const finished = finishPdf(datedPdf('11'), properties);
    expect(Object.fromEntries(catalogOf(finished))).toEqual({
      Type: '/Catalog',
      Pages: '2 0 R',
      MarkInfo: '<</Marked true>>',
      Lang: '(en)',
      ViewerPreferences: '<</DisplayDocTitle true>>',
      Metadata: '6 0 R',
    });
    expect(countPages(finished)).toBe(2);
  });

  it('preserves every title in the document information', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), title => {
        const finished = finishPdf(datedPdf('11'), { ...properties, title });
        const written = infoOf(finished).get('Title') ?? '';
        const text = written.startsWith('<FEFF')
          ? Buffer.from(written.slice(5, -1), 'hex').swap16().toString('utf16le')
          : written.slice(1, -1).replaceAll(/\\(.)/g, '$1');
        expect(text).toBe(title);
      }),
    );
  });

  it('removes characters from the metadata that XML forbids', () => {
    const title = 'A\u0000B\u0008C\ufffeD\ud800E\tF';
    expect(xmpOf(finishPdf(datedPdf('11'), { ...properties, title }))).toContain('>ABCDE\tF</rdf:li>');
  });

  it('escapes markup in the metadata', () => {
    expect(xmpOf(finishPdf(datedPdf('11'), { ...properties, title: 'A & B </rdf:li>' }))).toContain(
      '<rdf:li xml:lang="x-default">A &amp; B &lt;/rdf:li&gt;</rdf:li>',
    );
  });

  it('adds document information to a print without it', () => {
    const bare = smallPdf(['<</Type /Pages /Count 1>>', '<</Type /Catalog /Pages 1 0 R>>'], '/Root 2 0 R');
    const finished = finishPdf(bare, properties);
    expect(infoOf(finished).get('Author')).toBe('(A Brokerage)');
    expect(countPages(finished)).toBe(1);
  });
});
