/** What the release of a held run would do, as one sentence: the same in the API, on the pages and in notifications. */

/** Rows of one place that would change. */
export interface PlaceOfChanges {
  /** Such as `the CRM`. */
  place: string;
  created: number;
  updated: number;
  deleted: number;
  /** Rows of the place now; absent: not known. */
  rows?: number;
  /** What becomes of deleted rows; default: `delete`. */
  deletes?: 'delete' | 'mark as gone';
}

const number = new Intl.NumberFormat('en');

/** Such as "mark as gone 1,000 of 2,000 in the local copy; the CRM is not changed". */
export function plannedEffect(places: readonly PlaceOfChanges[]): string {
  const texts = places.map(({ place, created, updated, deleted, rows, deletes = 'delete' }) => {
    const of = rows === undefined ? '' : ` of ${number.format(rows)}`;
    const changes = [
      deleted > 0 && `${deletes} ${number.format(deleted)}${of}`,
      created > 0 && `create ${number.format(created)}`,
      updated > 0 && `update ${number.format(updated)}`,
    ].filter(change => change !== false);
    return {
      isChanged: changes.length > 0,
      changed: `${changes.join(', ')} in ${place}`,
      kept: `${place} is not changed`,
    };
  });
  const changed = texts.filter(({ isChanged }) => isChanged).map(text => text.changed);
  const kept = texts.filter(({ isChanged }) => !isChanged).map(text => text.kept);
  return [...(changed.length > 0 ? changed : ['change nothing']), ...(changed.length > 0 ? kept : [])].join('; ');
}
