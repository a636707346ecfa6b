/** Detects faults of the employee systems before a resync is applied. */
import { describe, expect, it } from 'vitest';
import { reasonsFromChanges, reasonsFromSources } from '../../../../workers/employee-resync/sources.ts';
import { crmUser, directoryUser, employeeRecord, planOf } from '../../../support/employees.ts';

const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
const sources = {
  records: numbers.map(place => employeeRecord(place)),
  directory: numbers.map(place => directoryUser(place)),
  crm: numbers.map(place => crmUser(place)),
};
const never = { records: undefined, directory: undefined, crm: undefined };
const reasons = (read: typeof sources, last: Parameters<typeof reasonsFromSources>[2] = never) =>
  reasonsFromSources(read, planOf(read).current, last);

describe('a read of the employee systems', () => {
  it('has no reason to hold when it is like the last one', () => {
    expect(reasons(sources)).toEqual([]);
    expect(reasons(sources, { records: 104, directory: 110, crm: 100 })).toEqual([]);
  });

  it.each(['records', 'directory', 'crm'] as const)('is held when the %s return no rows', source =>
    expect(reasons({ ...sources, [source]: [] })).toContainEqual(expect.stringMatching(/returned no rows/)),
  );

  it('is held when the directory has half of the users, also on the first run', () => {
    const half = { ...sources, directory: sources.directory.slice(0, 50) };
    expect(reasons(half)).toEqual(['The identity directory does not have 50 of 100 employees.']);
    expect(reasons(half, { records: 100, directory: 100, crm: 100 })).toHaveLength(2);
  });

  it('may have no records after all were deleted on purpose', () => {
    const none = { ...sources, records: [] };
    expect(reasons(none, { records: 0, directory: 100, crm: 100 })).toEqual([]);
    expect(reasons(none, { records: 100, directory: 100, crm: 100 })).toHaveLength(1);
  });
});

describe('the changes of a resync', () => {
  it('are not held when they only fill empty fields', () => expect(reasonsFromChanges(planOf(sources), 0)).toEqual([]));

  it('are held when they overwrite more than 30 % of the records', () => {
    const moved = sources.directory.map((user, index) => (index < 40 ? { ...user, department: 'IT' } : user));
    expect(reasonsFromChanges(planOf({ ...sources, directory: moved }), 100)).toEqual([
      '40 of 100 rows would be changed.',
    ]);
  });

  it('are held when more than 5 % of the list would be deleted', () => {
    const { list } = planOf(sources).plan;
    const fewer = planOf(
      { ...sources, records: sources.records.slice(12), directory: sources.directory.slice(12) },
      list,
    );
    expect(reasonsFromChanges(fewer, list.length)).toEqual(['12 of 100 rows would be deleted.']);
  });
});
