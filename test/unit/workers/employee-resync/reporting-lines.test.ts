/** Levels of reporting lines. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { levelsFromTop, type Reporting } from '../../../../workers/employee-resync/reporting-lines.ts';

const reporting = (lines: Record<string, string | null>): Reporting[] =>
  Object.entries(lines).map(([recordName, reportsTo]) => ({ recordName, reportsTo }));
const names = (records: readonly Reporting[]) => records.map(({ recordName }) => recordName);

it('puts employees below their managers; a manager who is not among the records counts as none', () => {
  const { levels, circular } = levelsFromTop(
    reporting({ agent: 'head', head: 'chief', chief: null, guest: 'stranger', clerk: 'chief' }),
  );
  expect(levels.map(names)).toEqual([['chief', 'guest'], ['head', 'clerk'], ['agent']]);
  expect(circular).toEqual([]);
});

it('separates employees in reporting cycles, and their reports', () => {
  const { levels, circular } = levelsFromTop(reporting({ a: 'b', b: 'a', below: 'a', self: 'self', chief: null }));
  expect(levels.map(names)).toEqual([['chief']]);
  expect(names(circular)).toEqual(['a', 'b', 'below', 'self']);
});

it('contains every record once, always below its manager', () => {
  const anyLines = fc.array(fc.option(fc.nat(29), { nil: null }), { maxLength: 30 });
  fc.assert(
    fc.property(anyLines, lines => {
      const records = lines.map((to, index) => ({
        recordName: `${index}`,
        reportsTo: to === null ? null : `${to}`,
      }));
      const { levels, circular } = levelsFromTop(records);
      expect(names([...levels.flat(), ...circular]).sort()).toEqual(names(records).sort());
      const levelOf = new Map(levels.flatMap((level, depth) => level.map(({ recordName }) => [recordName, depth])));
      for (const { recordName, reportsTo } of levels.flat()) {
        const above = levelOf.get(reportsTo ?? '');
        if (above !== undefined) expect(above).toBe((levelOf.get(recordName) ?? 0) - 1);
      }
    }),
  );
});
