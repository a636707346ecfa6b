/** What a run changes in each place, and what the release of a held run would do, as one sentence: the same everywhere. */
import { z } from 'zod';
import { wholeNumber } from '../values/number-text.ts';

const count = z.int().min(0);

/** Rows of one place that change. */
export const PlaceOfChanges = z
  .object({
    place: z.string().describe('Such as `the CRM`.'),
    created: count.describe('Rows created.'),
    updated: count.describe('Rows updated.'),
    deleted: count.describe('Rows that disappear.'),
    rows: count.optional().describe('Rows of the place before; absent: not known.'),
    deletes: z.enum(['delete', 'mark as gone']).optional().describe('What becomes of deleted rows; absent: `delete`.'),
  })
  .meta({ id: 'PlaceOfChanges' });
export type PlaceOfChanges = z.infer<typeof PlaceOfChanges>;

/** Such as "mark as gone 1,000 of 2,000 in the local copy; the CRM is not changed". */
export function plannedEffect(places: readonly PlaceOfChanges[]): string {
  const texts = places.map(({ place, created, updated, deleted, rows, deletes = 'delete' }) => {
    const of = rows === undefined ? '' : ` of ${wholeNumber(rows)}`;
    const changes = [
      deleted > 0 && `${deletes} ${wholeNumber(deleted)}${of}`,
      created > 0 && `create ${wholeNumber(created)}`,
      updated > 0 && `update ${wholeNumber(updated)}`,
    ].filter(change => change !== false);
    return {
      isChanged: changes.length > 0,
      changed: `${changes.join(', ')} in ${place}`,
      kept: `${place} ${place.endsWith('records') ? 'are' : 'is'} not changed`,
    };
  });
  const changed = texts.filter(({ isChanged }) => isChanged).map(text => text.changed);
  const kept = texts.filter(({ isChanged }) => !isChanged).map(text => text.kept);
  return [...(changed.length > 0 ? changed : ['change nothing']), ...(changed.length > 0 ? kept : [])].join('; ');
}

/** In percent. */
const shareOf = (part: number, whole: number): number => Math.round((1_000 * part) / Math.max(1, whole)) / 10;

/** Two bars on one scale, the rows before and after, for each place that changes and whose number of rows is known. */
export const beforeAndAfter = (places: readonly PlaceOfChanges[]) =>
  places.flatMap(({ place, rows: before, created, updated, deleted }) => {
    if (before === undefined || created + updated + deleted === 0) return [];
    const after = before - deleted + created;
    const most = Math.max(before, after);
    const facts = [
      deleted > 0 && `${wholeNumber(deleted)} disappear`,
      created > 0 && `${wholeNumber(created)} new`,
      updated > 0 && `${wholeNumber(updated)} changed`,
    ];
    return [
      {
        place: place.charAt(0).toUpperCase() + place.slice(1),
        before: wholeNumber(before),
        after: wholeNumber(after),
        facts: facts.filter(fact => fact !== false).join(', '),
        isLess: deleted > 0,
        shares: {
          kept: shareOf(before - deleted, most),
          unchanged: shareOf(before - deleted - updated, most),
          changed: shareOf(updated, most),
          gone: shareOf(deleted, most),
          added: shareOf(created, most),
        },
      },
    ];
  });
