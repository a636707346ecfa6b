/** Makes the tags of a print conform to PDF/UA-1 (ISO 14289-1). */
import { deflateSync } from 'node:zlib';
import { CharacterMaps } from './character-maps.ts';
import { tagContent } from './page-content.ts';
import { type PdfDictionary, type PdfObjects, PdfStructureError, reference, textString } from './pdf-file.ts';
import { marksOf, readStructure, rebuildStructure } from './structure-tree.ts';

const compression = { level: 3 };

/**
 * @param size object numbers from here on are unused
 * @param linkTexts by address
 * @returns the objects that change, undefined for those that are removed
 * @throws PdfStructureError for an unknown structure
 */
export function tagDocument(
  objects: PdfObjects,
  size: number,
  catalog: PdfDictionary,
  linkTexts: ReadonlyMap<string, string>,
): Map<number, Buffer | undefined> {
  const changed = new Map<number, Buffer | undefined>();
  const rootNumber = required(catalog.get('StructTreeRoot'));
  const treeRoot = objects.text(rootNumber);
  const lang = catalog.get('Lang')?.slice(1, -1) ?? '';
  const root = readStructure(objects, required(/\/K (\d+ 0 R)/.exec(treeRoot)?.[1]), lang);
  const marks = marksOf(root);
  const maps = new CharacterMaps(objects);
  const pages = pagesOf(objects, required(catalog.get('Pages')));
  for (const page of pages) {
    const content = tagContent(objects.stream(page.contents), marks.get(page.number) ?? [], maps);
    changed.set(page.contents, streamOf(bufferOf(content)));
  }
  for (const [number, data] of maps.changed()) changed.set(number, streamOf(data));

  const { texts, linkElements, markElements } = rebuildStructure(root, rootNumber, size);
  for (const [number, text] of texts) changed.set(number, text === undefined ? undefined : bufferOf(text));

  const parents: [key: number, element: string][] = pages.map(({ key, number }) => {
    const elements = Array.from(markElements.get(number) ?? [], element => element ?? 'null');
    return [key, `[${elements.join(' ')}]`];
  });
  for (const number of pages.flatMap(({ annotations }) => annotations)) {
    const annotation = objects.text(number);
    const key = Number(/\/StructParent (\d+)/.exec(annotation)?.[1]);
    const element = linkElements.get(number);
    if (element === undefined || Number.isNaN(key))
      throw new PdfStructureError('The PDF has a link outside its structure.');
    parents.push([key, element]);
    const entries = annotation.slice(annotation.indexOf('<<'), annotation.lastIndexOf('>>'));
    changed.set(number, bufferOf(`${entries}\n/Contents ${textString(describe(annotation, linkTexts))}>>`));
  }
  parents.sort(([one], [other]) => one - other);
  const parentTree = required(/\/ParentTree (\d+ 0 R)/.exec(treeRoot)?.[1]);
  for (const [, number] of objects.text(parentTree).matchAll(/(\d+) 0 R/g))
    if (!texts.has(Number(number))) changed.set(Number(number), undefined);
  changed.set(parentTree, bufferOf(`<</Type /ParentTree\n/Nums [${parents.flat().join(' ')}]>>`));
  return changed;
}

const bufferOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function streamOf(content: Buffer): Buffer {
  const data = deflateSync(content, compression);
  const header = bufferOf(`<</Filter /FlateDecode\n/Length ${data.length}>> stream\n`);
  return Buffer.concat([header, data, bufferOf('\nendstream')]);
}

/** @throws PdfStructureError when the catalog or the tree's root lacks an entry */
function required(value: string | undefined): number {
  const number = reference(value);
  if (number === undefined) throw new PdfStructureError('The PDF is not tagged.');
  return number;
}

interface TaggedPage {
  number: number;
  /** In the parent tree. */
  key: number;
  contents: number;
  annotations: number[];
}

function pagesOf(objects: PdfObjects, number: number): TaggedPage[] {
  const text = objects.text(number);
  const numbersIn = (pattern: RegExp) =>
    [...(pattern.exec(text)?.[1] ?? '').matchAll(/(\d+) 0 R/g)].map(([, kid]) => Number(kid));
  const kids = /\/Kids \[([^\]]*)\]/;
  if (kids.test(text)) return numbersIn(kids).flatMap(kid => pagesOf(objects, kid));
  const key = Number(/\/StructParents (\d+)/.exec(text)?.[1]);
  const [contents] = numbersIn(/\/Contents (\d+ 0 R)/);
  if (Number.isNaN(key) || contents === undefined)
    throw new PdfStructureError('The PDF has a page that is not tagged.');
  return [{ number, key, contents, annotations: numbersIn(/\/Annots \[([^\]]*)\]/) }];
}

/** The text of the link in the document, else its address. */
function describe(annotation: string, linkTexts: ReadonlyMap<string, string>): string {
  const [, uri, place] = /\/URI \(((?:\\[\s\S]|[^\\()])*)\)|\/Dest \/([^\s/<>]+)/.exec(annotation) ?? [];
  const address = uri?.replaceAll(/\\([\s\S])/g, '$1') ?? `#${place}`;
  return linkTexts.get(address) ?? address.replace(/^(tel|mailto):/, '');
}
