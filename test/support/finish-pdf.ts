/** Finishes a print that is a whole document. */
import type { PdfProperties } from '../../workers/pdf/print/pdf-properties.ts';
import { PdfWriter } from '../../workers/pdf/print/pdf-writer.ts';

/** @returns the parts of the finished file in order @throws as `PdfWriter.add` does */
export function finishPdf(
  pdf: Buffer,
  properties: PdfProperties,
  replacements?: Parameters<PdfWriter['add']>[1],
  linkTexts?: Parameters<PdfWriter['add']>[2],
): Buffer[] {
  const writer = new PdfWriter(properties);
  return [...writer.add(pdf, replacements, linkTexts), ...writer.end()];
}
