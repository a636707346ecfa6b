import fc from 'fast-check';
import { expect, it } from 'vitest';
import { levelsFromTheTop, type Reporting } from '../../../../workers/employee-resync/reporting-lines.ts';

const reporting = (lines: Record<string, string | null>): Reporting[] =>
  Object.entries(lines).map(([recordName, reportsTo]) => ({ recordName, reportsTo }));
const names = (records: readonly Reporting[]) => records.map(({ recordName }) => recordName);

it('puts everybody below whom they report to; whoever reports to a stranger leads', () => {
  const { levels, circular } = levelsFromTheTop(
    reporting({ agent: 'head', head: 'chief', chief: null, guest: 'stranger', clerk: 'chief' }),
  );
  expect(levels.map(names)).toEqual([['chief', 'guest'], ['head', 'clerk'], ['agent']]);
  expect(circular).toEqual([]);
});

it('sets apart those who report to themselves by way of others, with all below them', () => {
  const { levels, circular } = levelsFromTheTop(
    reporting({ a: 'b', b: 'a', below: 'a', self: 'self', chief: null }),
  );
  expect(levels.map(names)).toEqual([['chief']]);
  expect(names(circular)).toEqual(['a', 'b', 'below', 'self']);
});

it('loses nobody, and never puts anybody on or above the level of their superior', () => {
  const anyLines = fc.array(fc.option(fc.nat(29), { nil: null }), { maxLength: 30 });
  fc.assert(
    fc.property(anyLines, lines => {
      const records = lines.map((to, index) => ({
        recordName: `${index}`,
        reportsTo: to === null ? null : `${to}`,
      }));
      const { levels, circular } = levelsFromTheTop(records);
      expect(names([...levels.flat(), ...circular]).sort()).toEqual(names(records).sort());
      const levelOf = new Map(
        levels.flatMap((level, depth) => level.map(({ recordName }) => [recordName, depth])),
      );
      for (const { recordName, reportsTo } of levels.flat()) {
        const above = levelOf.get(reportsTo ?? '');
        if (above !== undefined) expect(above).toBe((levelOf.get(recordName) ?? 0) - 1);
      }
    }),
  );
});
