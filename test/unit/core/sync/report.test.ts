/** The report of a synchronisation: counts, rows within the maximum, and groups of planned changes. */
import { describe, expect, it, vi } from 'vitest';
import {
  DryRun,
  groupChanges,
  type PlannedChange,
  SyncReport,
  SyncRow,
  startReport,
} from '../../../../core/sync/report.ts';

const row = (key: string) => ({ key, outcome: 'failed' as const, reason: 'rejected' });

describe('a report', () => {
  it('counts rows and the outcomes of rows', () => {
    const report = startReport({ dryRun: true });
    report.count('read', 5);
    report.count('matched');
    report.count('matched');
    report.countRow(row('1'));
    report.row({ key: '2', outcome: 'ambiguous', reason: 'two' });
    expect(report.finish(3)).toEqual({
      dryRun: true,
      read: 5,
      matched: 2,
      created: 0,
      updated: 0,
      deleted: 0,
      skipped: 0,
      failed: 1,
      calls: 3,
      rows: [row('1'), { key: '2', outcome: 'ambiguous', reason: 'two' }],
      rowsLeftOut: 0,
      seconds: expect.any(Number),
    });
    expect(startReport({ dryRun: false }).finish(0).dryRun).toBe(false);
  });

  it('contains 1,000 rows, and counts the others', () => {
    const report = startReport({ dryRun: false });
    for (let index = 0; index < 1_002; index += 1) report.countRow(row(String(index)));
    const { rows, rowsLeftOut, failed } = report.finish(0);
    expect([rows.length, rows.at(-1)?.key, rowsLeftOut, failed]).toEqual([1_000, '999', 2, 1_002]);
  });

  it('measures its time in seconds with two decimals', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(3_456.7);
    expect(startReport({ dryRun: false }).finish(0).seconds).toBe(2.46);
    clock.mockRestore();
  });

  it('collects planned changes', () => {
    const report = startReport({ dryRun: false });
    const change = { outcome: 'created' as const, reason: 'New.', key: '1', name: 'One' };
    report.planned.push(change);
    expect(report.planned).toEqual([change]);
  });
});

describe('planned changes', () => {
  it('are grouped by outcome and reason: deletions first, then by outcome, then the largest group', () => {
    const change = (outcome: PlannedChange['outcome'], reason: string, key: string): PlannedChange => ({
      outcome,
      reason,
      key,
      name: `Row ${key}`,
      detail: `detail ${key}`,
    });
    const item = (key: string) => ({ key, name: `Row ${key}`, detail: `detail ${key}` });
    expect(
      groupChanges([
        change('created', 'New.', '1'),
        change('updated', 'New.', '3'),
        change('updated', 'Changed.', '2'),
        change('updated', 'Changed.', '4'),
        change('skipped', 'New.', '5'),
        change('deleted', 'Gone.', '6'),
      ]),
    ).toEqual([
      { outcome: 'deleted', reason: 'Gone.', items: [item('6')] },
      { outcome: 'created', reason: 'New.', items: [item('1')] },
      { outcome: 'updated', reason: 'Changed.', items: [item('2'), item('4')] },
      { outcome: 'updated', reason: 'New.', items: [item('3')] },
      { outcome: 'skipped', reason: 'New.', items: [item('5')] },
    ]);
  });

  it('may be none', () => expect(groupChanges([])).toEqual([]));
});

describe('the schema of a report', () => {
  const report = startReport({ dryRun: false }).finish(0);

  it('accepts a report, also of a held run', () => {
    expect(SyncReport.parse(report)).toEqual(report);
    expect(SyncReport.parse({ ...report, heldBecause: ['too many'] })).toMatchObject({ heldBecause: ['too many'] });
  });

  it.each([
    { read: -1 },
    { seconds: -0.1 },
    { rows: [{ key: '1', outcome: 'lost', reason: '' }] },
    { heldBecause: [1] },
  ])('does not accept %j', change => expect(SyncReport.safeParse({ ...report, ...change }).success).toBe(false));

  it('has valid examples of all members', () => {
    for (const schema of [
      DryRun,
      SyncRow,
      ...Object.entries(SyncReport.shape).flatMap(([name, member]) =>
        ['rows', 'heldBecause'].includes(name) ? [] : [member],
      ),
    ]) {
      const { examples } = Object(schema.meta());
      expect(examples).toHaveLength(1);
      expect(schema.safeParse(examples[0]).success).toBe(true);
    }
    expect(SyncReport.meta()).toMatchObject({ id: 'SyncReport' });
  });

  it('of a request is no dry run by default', () =>
    expect([DryRun.parse(undefined), DryRun.parse(true)]).toEqual([false, true]));
});
