import { describe, expect, it } from 'vitest';
import { checkPages, countPages } from '../../../../../workers/pdf/print/pdf-file.ts';
import { datedPdf, smallPdf } from '../../../../support/small-pdf.ts';

describe('countPages', () => {
  it('reads the count at the root of the page tree, not those of its branches', () => {
    const tree = [
      '<</Type /Pages /Count 8 /Parent 3 0 R>>',
      '<</Type /Pages /Count 3 /Parent 3 0 R>>',
      '<</Kids [1 0 R 2 0 R] /Count 11 /Type /Pages>>',
      '<</Type /Catalog /Pages 3 0 R>>',
    ];
    expect(countPages(smallPdf(tree, '/Root 4 0 R'))).toBe(11);
  });

  it('ignores a title that has the form of a page tree', () => {
    const info = '<</Title (/Type /Pages /Count 99 \\) 2 0 obj)>>';
    const objects = [info, '<</Type /Pages /Count 1>>', '<</Type /Catalog /Pages 2 0 R>>'];
    expect(countPages(smallPdf(objects, '/Info 1 0 R /Root 3 0 R'))).toBe(1);
  });

  it('rejects incomplete and other files', () => {
    const whole = datedPdf('00');
    expect(() => countPages(Buffer.from('not a PDF'))).toThrow(/does not end/);
    expect(() => countPages(whole.subarray(0, -20))).toThrow(/does not end/);
    expect(() => countPages(Buffer.from(whole.toString('latin1').replace('xref\n0', 'xref\n1'), 'latin1'))).toThrow(
      /cross-reference/,
    );
    expect(() => countPages(Buffer.alloc(0))).toThrow(/does not end/);
  });
});

describe('checkPages', () => {
  it('accepts the promised number', () => {
    expect(() => checkPages(datedPdf('00'), 2)).not.toThrow();
  });

  it('rejects another number and names both', () => {
    const broken = expect.objectContaining({
      code: 'page-contract-broken',
      message: expect.stringMatching(/2 pages where 4 were promised/),
    });
    expect(() => checkPages(datedPdf('00'), 4)).toThrow(broken);
  });
});
