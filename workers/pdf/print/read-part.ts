/** Reads a print of Chromium as a part of a PDF: its objects, and the roots that are merged with those of the other parts. */
import { dictionaryAt, objectAt, objectsOf, PdfStructureError, readPdfFile, reference } from './pdf-file.ts';
import { tagDocument } from './tag-document.ts';

export type PrintedPart = ReturnType<typeof readPart>;

/**
 * Makes the tags conform to PDF/UA-1, when there are any.
 * @param linkTexts by address
 * @throws PdfStructureError for an unknown structure
 */
export function readPart(pdf: Buffer, linkTexts: ReadonlyMap<string, string>) {
  const file = readPdfFile(pdf);
  const objects = objectsOf(file);
  const entriesOf = (number: number) => dictionaryAt(pdf, objectAt(file, number)).entries;
  const catalog = entriesOf(file.root);
  const pageRoot = reference(catalog.get('Pages'));
  if (pageRoot === undefined) throw new PdfStructureError('The PDF has no page tree.');
  const kidsOf = (number: number) => numbersIn(entriesOf(number).get('Kids'));
  const pagesIn = (number: number): number[] => {
    const kids = kidsOf(number);
    return kids.length === 0 ? [number] : kids.flatMap(pagesIn);
  };

  const treeRoot = reference(catalog.get('StructTreeRoot'));
  const tree = treeRoot === undefined ? undefined : { number: treeRoot, entries: entriesOf(treeRoot) };
  const [document, parentTree] = ['K', 'ParentTree'].map(name => reference(tree?.entries.get(name)));
  const changed = tree ? tagDocument(objects, file.size, catalog, linkTexts) : new Map<number, string | undefined>();

  const outlines = reference(catalog.get('Outlines'));
  const outlinesEntries = outlines === undefined ? undefined : entriesOf(outlines);
  const bookmarks: number[] = [];
  for (let at = reference(outlinesEntries?.get('First')); at !== undefined; at = reference(entriesOf(at).get('Next')))
    bookmarks.push(at);

  const destinations = reference(catalog.get('Dests'));
  const common = [pageRoot, treeRoot, document, outlines];
  return {
    objects,
    catalog,
    /** Object numbers. */
    root: file.root,
    info: file.info,
    producer: file.info === undefined ? undefined : entriesOf(file.info).get('Producer'),
    pageRoot: { number: pageRoot, entries: entriesOf(pageRoot), kids: kidsOf(pageRoot), pages: pagesIn(pageRoot) },
    tree:
      tree && document !== undefined && parentTree !== undefined
        ? { ...tree, document: { number: document, text: changed.get(document) ?? '' }, parentTree }
        : undefined,
    outlines,
    bookmarks,
    openBookmarks: Number(outlinesEntries?.get('Count') ?? 0),
    destinations: destinations === undefined ? undefined : entriesOf(destinations),
    /** Objects that differ from the print, in Latin-1; undefined for those that are removed. */
    changed,
    /** Object numbers of the roots, in the same order for each part. */
    common,
    /** Objects that are written for all parts together. */
    merged: new Set([...common, file.root, file.info, parentTree, destinations, ...bookmarks]),
    /** Object numbers are below it. */
    size: Math.max(file.size, ...[...changed.keys()].map(number => number + 1)),
  };
}

const numbersIn = (list = ''): number[] => [...list.matchAll(/(\d+) 0 R/g)].map(([, number]) => Number(number));
