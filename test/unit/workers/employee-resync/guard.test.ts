import { describe, expect, it } from 'vitest';
import { doubtsOfChanges, doubtsOfSources } from '../../../../workers/employee-resync/guard.ts';
import { aCrmUser, aRecord, aUser, planOf } from '../../../support/employees.ts';

const places = Array.from({ length: 100 }, (_, index) => index + 1);
const sources = {
  records: places.map(place => aRecord(place)),
  directory: places.map(place => aUser(place)),
  crm: places.map(place => aCrmUser(place)),
};
const never = { records: undefined, directory: undefined, crm: undefined };
const doubts = (read: typeof sources, last: Parameters<typeof doubtsOfSources>[2] = never) =>
  doubtsOfSources(read, planOf(read).current, last);

describe('what is read of the employees', () => {
  it('is trusted when it is as the last time', () => {
    expect(doubts(sources)).toEqual([]);
    expect(doubts(sources, { records: 104, directory: 110, crm: 100 })).toEqual([]);
  });

  it.each(['records', 'directory', 'crm'] as const)('is a fault when nothing comes of the %s', source => {
    expect(doubts({ ...sources, [source]: [] })).toContainEqual(expect.stringMatching(/nothing at all/));
  });

  it('is a fault when the directory has half its users, also at the first time', () => {
    const half = { ...sources, directory: sources.directory.slice(0, 50) };
    expect(doubts(half)).toEqual(['The identity directory does not know 50 of 100 employees.']);
    expect(doubts(half, { records: 100, directory: 100, crm: 100 })).toHaveLength(2);
  });

  it('has no records after all were deleted on purpose', () => {
    const none = { ...sources, records: [] };
    expect(doubts(none, { records: 0, directory: 100, crm: 100 })).toEqual([]);
    expect(doubts(none, { records: 100, directory: 100, crm: 100 })).toHaveLength(1);
  });
});

describe('what a resync would change', () => {
  it('is no danger when it only fills in', () => {
    expect(doubtsOfChanges(planOf(sources), 0)).toEqual([]);
  });

  it('is a fault when it replaces what a third of the records say', () => {
    const moved = sources.directory.map((user, index) => (index < 40 ? { ...user, department: 'IT' } : user));
    expect(doubtsOfChanges(planOf({ ...sources, directory: moved }), 100)).toEqual([
      '40 of 100 rows would be changed.',
    ]);
  });

  it('is a fault when employees vanish by the dozen', () => {
    const { list } = planOf(sources).plan;
    const fewer = planOf(
      { ...sources, records: sources.records.slice(12), directory: sources.directory.slice(12) },
      list,
    );
    expect(doubtsOfChanges(fewer, list.length)).toEqual(['12 of 100 rows would be deleted.']);
  });
});
