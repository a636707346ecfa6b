/** Makes the tags of a print conform to PDF/UA-1 (ISO 14289-1). */
import { deflateSync } from 'node:zlib';
import { CharacterMaps } from './character-maps.ts';
import { pageHeightOf } from './page-boxes.ts';
import { tagContent } from './page-content.ts';
import { type PdfDictionary, type PdfObjects, PdfStructureError, reference, textString } from './pdf-file.ts';
import { readStructure, StructureRebuild, writeStructure } from './structure-tree.ts';

const compression = { level: 3 };

/**
 * @param size object numbers from here on are unused
 * @param linkTexts by address
 * @returns the objects that change, in Latin-1, undefined for those that are removed
 * @throws PdfStructureError for an unknown structure
 */
export function tagDocument(
  objects: PdfObjects,
  size: number,
  catalog: PdfDictionary,
  linkTexts: ReadonlyMap<string, string>,
): Map<number, string | undefined> {
  const changed = new Map<number, string | undefined>();
  const rootNumber = required(catalog.get('StructTreeRoot'));
  const treeRoot = objects.text(rootNumber);
  const lang = catalog.get('Lang')?.slice(1, -1) ?? '';
  const { root, marks, links, unused } = readStructure(objects, required(/\/K (\d+ 0 R)/.exec(treeRoot)?.[1]), lang);
  const maps = new CharacterMaps(objects);
  const pages = pagesOf(objects, required(catalog.get('Pages')));
  for (const { number, contents, height } of pages)
    changed.set(contents, streamOf(tagContent(objects.stream(contents), marks.get(number) ?? [], maps, height)));
  for (const [number, text] of maps.changed()) changed.set(number, streamOf(text));

  const rebuild = new StructureRebuild(size, unused);
  rebuild.simplify(root);
  writeStructure(root, rootNumber, changed);
  for (const number of rebuild.unused) changed.set(number, undefined);

  const parents = new Map<number, string>();
  for (const { key, number } of pages) {
    const owners = Array.from(marks.get(number) ?? [], mark =>
      mark && !mark.isDecoration ? `${mark.owner.number} 0 R` : 'null',
    );
    parents.set(key, `[${owners.join(' ')}]`);
  }
  for (const number of pages.flatMap(({ annotations }) => annotations)) {
    const annotation = objects.text(number);
    const key = Number(/\/StructParent (\d+)/.exec(annotation)?.[1]);
    const link = links.get(number);
    if (!link || Number.isNaN(key)) throw new PdfStructureError('The PDF has a link outside its structure.');
    parents.set(key, `${link.owner.number} 0 R`);
    const entries = annotation.slice(annotation.indexOf('<<'), annotation.lastIndexOf('>>'));
    changed.set(number, `${entries}\n/Contents ${textString(describe(annotation, linkTexts))}>>`);
  }
  const parentTree = required(/\/ParentTree (\d+ 0 R)/.exec(treeRoot)?.[1]);
  for (const [, list] of objects.text(parentTree).matchAll(/(\d+) 0 R/g))
    if (!changed.has(Number(list))) changed.set(Number(list), undefined);
  const numbers = [...parents].sort(([one], [other]) => one - other).flat();
  changed.set(parentTree, `<</Type /ParentTree\n/Nums [${numbers.join(' ')}]>>`);
  return changed;
}

function streamOf(text: string): string {
  const data = deflateSync(Buffer.from(text, 'latin1'), compression).toString('latin1');
  return `<</Filter /FlateDecode\n/Length ${data.length}>> stream\n${data}\nendstream`;
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
  /** In points. */
  height: number;
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
  const annotations = numbersIn(/\/Annots \[([^\]]*)\]/);
  return [{ number, key, contents, height: pageHeightOf(text), annotations }];
}

/** The text of the link in the document, else its address. */
function describe(annotation: string, linkTexts: ReadonlyMap<string, string>): string {
  const [, uri, place] = /\/URI \(((?:\\[\s\S]|[^\\()])*)\)|\/Dest \/([^\s/<>]+)/.exec(annotation) ?? [];
  const address = uri?.replaceAll(/\\([\s\S])/g, '$1') ?? `#${place}`;
  return linkTexts.get(address) ?? address.replace(/^(tel|mailto):/, '');
}
