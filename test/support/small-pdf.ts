/** Builds a PDF with the structure of Chromium's: objects numbered from 1, one cross-reference table, one trailer. */
import { readPdfFile } from '../../workers/pdf/print/pdf-file.ts';

/**
 * @param objects the objects' bodies, object 1 first
 * @param trailer entries of the trailer besides Size
 */
export function smallPdf(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const at = Buffer.byteLength(text, 'latin1');
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return at;
  });
  const tableAt = Buffer.byteLength(text, 'latin1');
  const entries = offsets.map(at => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<</Size ${size}\n${trailer}>>\nstartxref\n${tableAt}\n%%EOF\n`,
    'latin1',
  );
}

/** Two pages with dates, and a title that contains PDF syntax. */
export function datedPdf(second: string): Buffer {
  return smallPdf(
    [
      `<</Title (endobj \\(1 0 obj\\) >>)\n/Producer (Skia/PDF m147)\n/CreationDate (D:202611210412${second}+00'00')\n/ModDate (D:202611210412${second}+00'00')>>`,
      '<</Type /Pages /Count 2 /Kids [3 0 R 4 0 R]>>',
      '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>',
      '<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]>>',
      '<</Type /Catalog /Pages 2 0 R /MarkInfo <</Marked true>> /Lang (fr) /ViewerPreferences <</FitWindow true>>>>',
    ],
    '/Root 5 0 R\n/Info 1 0 R',
  );
}

/** The same PDF with a cross-reference stream (ISO 32000-1, 7.5.8) instead of the table: valid, but unknown to the service. */
export function withCrossReferenceStream(pdf: Buffer): Buffer {
  const { tableAt, entriesAt, size, root, info } = readPdfFile(pdf);
  const entries = Buffer.alloc((size + 1) * 7);
  for (let number = 0; number <= size; number += 1) {
    const entry = pdf.toString('latin1', entriesAt + number * 20, entriesAt + number * 20 + 18);
    const isUsed = number === size || entry.endsWith('n');
    entries.writeUInt8(isUsed ? 1 : 0, number * 7);
    entries.writeUInt32BE(number === size ? tableAt : Number(entry.slice(0, 10)), number * 7 + 1);
  }
  const infoEntry = info === undefined ? '' : ` /Info ${info} 0 R`;
  const head = `${size} 0 obj\n<</Type /XRef /Size ${size + 1} /W [1 4 2] /Root ${root} 0 R${infoEntry} /Length ${entries.length}>> stream\n`;
  const end = `\nendstream\nendobj\nstartxref\n${tableAt}\n%%EOF\n`;
  return Buffer.concat([pdf.subarray(0, tableAt), Buffer.from(head), entries, Buffer.from(end)]);
}
