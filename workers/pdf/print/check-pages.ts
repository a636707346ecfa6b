/** Holds the page contract: a PDF has exactly as many pages as were promised. */
import { ServiceError } from '../../../core/runtime/errors.ts';
import { dictionaryAt, objectAt, readPdfFile, reference } from './pdf-file.ts';

/**
 * The count at the root of the page tree; takes microseconds whatever the size.
 * @throws Error when the file is not a PDF as Chromium writes it
 */
export function countPages(pdf: Buffer): number {
  const file = readPdfFile(pdf);
  const catalog = dictionaryAt(pdf, objectAt(file, file.root)).entries;
  const pages = reference(catalog.get('Pages'));
  if (pages === undefined) throw new Error('The PDF has no page tree.');
  const count = dictionaryAt(pdf, objectAt(file, pages)).entries.get('Count');
  if (count === undefined || !/^\d+$/.test(count))
    throw new Error('The PDF does not say how many pages it has.');
  return Number(count);
}

/** @throws ServiceError `page-contract-broken` when there are more or fewer pages than promised */
export function checkPages(pdf: Buffer, promised: number): void {
  const pages = countPages(pdf);
  if (pages === promised) return;
  throw new ServiceError(
    'page-contract-broken',
    `The PDF came out with ${pages} pages where ${promised} were promised; this is a fault of the design, not of the input.`,
  );
}
