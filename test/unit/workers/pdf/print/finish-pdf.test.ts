import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  finishPdf as finishInPlace,
  type PdfProperties,
} from '../../../../../workers/pdf/print/finish-pdf.ts';
import {
  countPages,
  dictionaryAt,
  objectAt,
  readPdfFile,
} from '../../../../../workers/pdf/print/pdf-file.ts';
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

describe('finishing a PDF', () => {
  it('gives prints of different seconds and cell numbers the same bytes', () => {
    const early = finishPdf(datedPdf('11', 'node00000019'), properties);
    const late = finishPdf(datedPdf('59', 'node00104711'), properties);
    expect(early.equals(late)).toBe(true);
    expect(early.toString('latin1')).not.toContain('D:2026');
  });

  it('gives another fingerprint another identifier', () => {
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

  it('keeps the catalog, with the language, the shown title and the metadata in it', () => {
    const finished = finishPdf(datedPdf('11'), properties);
    expect(Object.fromEntries(catalogOf(finished))).toEqual({
      Type: '/Catalog',
      Pages: '2 0 R',
      MarkInfo: '<</Marked true>>',
      Lang: '(en)',
      ViewerPreferences: '<</DisplayDocTitle true>>',
      Metadata: '9 0 R',
    });
    expect(countPages(finished)).toBe(2);
  });

  it('renames header cells wherever they are named, and leaves text that reads alike', () => {
    const finished = finishPdf(datedPdf('11', 'node00104711'), properties).toString('latin1');
    expect(finished).toContain('/ID (node00000001)');
    expect(finished).toContain('/Headers [(node00000001)]');
    expect(finished).toContain('/Names [(node00000001) 5 0 R]');
    expect(finished).toContain('/Alt (node00000019)');
  });

  it('carries any title whole in the information', () => {
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

  it('leaves out of the metadata what XML may not hold', () => {
    const title = 'A\u0000B\u0008C\ufffeD\ud800E\tF';
    expect(xmpOf(finishPdf(datedPdf('11'), { ...properties, title }))).toContain('>ABCDE\tF</rdf:li>');
  });

  it('escapes markup in the metadata', () => {
    expect(xmpOf(finishPdf(datedPdf('11'), { ...properties, title: 'A & B </rdf:li>' }))).toContain(
      '<rdf:li xml:lang="x-default">A &amp; B &lt;/rdf:li&gt;</rdf:li>',
    );
  });

  it('adds the information where the print has none', () => {
    const bare = smallPdf(['<</Type /Pages /Count 1>>', '<</Type /Catalog /Pages 1 0 R>>'], '/Root 2 0 R');
    const finished = finishPdf(bare, properties);
    expect(infoOf(finished).get('Author')).toBe('(A Brokerage)');
    expect(countPages(finished)).toBe(1);
  });
});
