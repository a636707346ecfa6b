/** The mirrors of vendor lists: rows that the last read could not parse. */
import { z } from 'zod';
import { type CheckFinding, ok, warning } from '../../runtime/finding.ts';
import { defineCheck } from '../check.ts';
import { onWorkingDatabase } from '../context.ts';

const Mirror = z.object({
  kind: z.string(),
  unreadable: z.array(z.object({ id: z.int(), reason: z.string() })),
});

const maxNamed = 5;

export default defineCheck({
  name: 'mirrors',
  async run(context): Promise<CheckFinding[]> {
    const mirrors = await onWorkingDatabase(context, async client => {
      const { rows: found } = await client.query(`select from pg_class where oid = to_regclass('sync_state')`);
      if (found.length === 0) return [];
      const { rows } = await client.query(`select kind, unreadable from sync_state order by kind`);
      return z.array(Mirror).parse(rows);
    });
    const findings = mirrors.filter(({ unreadable }) => unreadable.length > 0).map(findingOf);
    return findings.length > 0 ? findings : [ok(`${mirrors.length} read, without unreadable rows`)];
  },
});

function findingOf({ kind, unreadable }: z.output<typeof Mirror>): CheckFinding {
  const named = unreadable.slice(0, maxNamed).map(({ id, reason }) => `${id} (${reason})`);
  const more = unreadable.length > maxNamed ? ` and ${unreadable.length - maxNamed} more` : '';
  return warning(
    `${kind}: ${unreadable.length} rows have an unexpected form: ${named.join(', ')}${more}`,
    'correct these fields in the outside system; until then the mirror keeps its last version of the rows',
  );
}
