/** Renames what Chromium names table header cells by, for its numbers go on from document to document. */

/** "(node00000123)": as `/ID` of a header cell, in `/Headers` of the cells below it, in the tree of all identifiers. */
const opening = '(node';
const named = /^\(node\d{8}\)$/;
const nameBytes = 14;
/** A listing’s own text may read like a name: it stands after another key. */
const beforeName = /(\/ID |\[|\) ?|R )$/;

/**
 * Numbers the names from 1, in place and in their order, so that a sorted list of them stays sorted. Compressed text
 * and photos between the objects cannot hold one but by design, and would lose no more than a digit.
 */
export function renumberHeaderCells(pdf: Buffer): void {
  const places = new Map<string, number[]>();
  for (let at = pdf.indexOf(opening); at !== -1; at = pdf.indexOf(opening, at + 1)) {
    const name = pdf.toString('latin1', at, at + nameBytes);
    if (!named.test(name) || !beforeName.test(pdf.toString('latin1', at - 4, at))) continue;
    places.set(name, [...(places.get(name) ?? []), at]);
  }
  [...places.keys()].sort().forEach((name, index) => {
    for (const at of places.get(name) ?? [])
      pdf.write(`(node${String(index + 1).padStart(8, '0')})`, at, 'latin1');
  });
}
