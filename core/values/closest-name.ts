/** Suggestions for misspelt names. */

/**
 * The closest of the names, ignoring case and separators: at most one typing error away, two for names of 10 letters and
 * more.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  const maxDistance = name.length < 10 ? 1 : 2;
  const spelt = withoutCase(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > 2 * maxDistance) continue;
    const distance = editDistance(spelt, withoutCase(candidate));
    if (distance <= maxDistance && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance };
  }
  return best?.name;
}

const withoutCase = (name: string): string => name.toLowerCase().replace(/[_\s-]/g, '');

/** Letters missing, added or changed, and swapped neighbours (optimal string alignment distance). */
function editDistance(one: string, other: string): number {
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
