/** Text on the operator pages: times, cron expressions, reports. */
import { describe, expect, it } from 'vitest';
import { durationText, reportView, timeView } from '../../../../api/admin/format.ts';
import { cronWords } from '../../../../api/admin/overview.ts';

describe('cronWords', () => {
  it.each([
    ['30 1 * * *', 'every day at 01:30'],
    ['0 0 3 * * *', 'every day at 03:00'],
    ['0 * * * *', 'every hour'],
    ['17,47 * * * *', 'every hour at minutes 17 and 47'],
    ['5 * * * *', 'every hour at minute 5'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['* * * * *', 'every minute'],
    ['0 */6 * * *', 'every 6 hours'],
    ['15 8 * * 1', 'every Monday at 08:15'],
    ['0 8 1 * *', 'on day 1 of the month at 08:00'],
  ])('describes %s as %s', (expression, words) => expect(cronWords(expression)).toBe(words));

  it.each(['*/10 * * * * *', '0 8 1 6 *', '0 8-18 * * *', '0 8 * * 1-5', '30 */2 * * 1', '7 */6 * * *'])(
    'returns the uncommon expression %s unchanged',
    expression => expect(cronWords(expression)).toBe(expression),
  );
});

describe('times', () => {
  const now = new Date('2026-03-01T20:30:00Z');
  it('timeView shows Dubai time and the distance from now', () => {
    expect(timeView(new Date('2026-03-01T21:45:00Z'), now)).toEqual({
      iso: '2026-03-01T21:45:00.000Z',
      clock: 'Mon 2 Mar, 01:45',
      away: 'in 1 h 15 min',
    });
    expect(timeView(new Date('2026-03-01T20:28:00Z'), now).away).toBe('2 min ago');
    expect(timeView(now, now).away).toBe('just now');
  });

  it.each([
    [400, 'less than 1 s'],
    [59_400, '59 s'],
    [3_600_000, '1 h'],
    [90_000_000, '1 d 1 h'],
    [172_800_000, '2 d'],
  ])('durationText of %d ms is %s', (ms, words) => expect(durationText(ms)).toBe(words));
});

describe('reportView', () => {
  it('returns changes, reasons, figures and the first hundred rows, without texts', () => {
    const rows = Array.from({ length: 120 }, (_, key) => ({
      key: String(key),
      outcome: 'deleted' as const,
      reason: 'gone',
    }));
    const words = reportView({
      who: 'Aisha Rahman',
      copy: { gone: 480, note: 'of Aisha Rahman' },
      deleted: 480,
      created: 0,
      updated: 3,
      read: 1_200,
      dryRun: false,
      heldBecause: ['480 of 1200 rows would be deleted.'],
      rows,
      rowsLeftOut: 7,
    });
    expect(words.changes).toBe('update 3, delete 480 (of 1,200 rows read)');
    expect(words.reasons).toEqual(['480 of 1200 rows would be deleted.']);
    expect(words.figures.map(({ label, value }) => `${label} ${value}`)).toEqual([
      'read 1,200',
      'created 0',
      'updated 3',
      'deleted 480',
      'copy: gone 480',
      'dry run no',
      'rows left out 7',
    ]);
    expect([words.rows.length, words.more]).toEqual([100, 27]);
    expect(JSON.stringify(words)).not.toContain('Aisha');
  });

  it.each([null, undefined, 'text', 7, [], { pages: 12 }])('is empty for the result of another kind: %j', report => {
    expect(reportView(report)).toMatchObject({ changes: undefined, reasons: [], rows: [], more: 0 });
  });
});
