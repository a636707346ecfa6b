/** Finds what a mistyped name was probably meant to be. */

/** @returns the declared name that differs by one slip, or by two in a long name; undefined when there is none */
export function nearMiss(name: string, declared: Iterable<string>): string | undefined {
  const allowed = name.length < 10 ? 1 : 2;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of declared) {
    if (Math.abs(candidate.length - name.length) > allowed) continue;
    const distance = slips(name, candidate);
    if (distance <= allowed && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name;
}

/** Letters left out, added or changed, and neighbours in the wrong order (optimal string alignment). */
function slips(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(one.length, other.length);
}
