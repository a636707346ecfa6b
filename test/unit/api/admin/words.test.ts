/** The words of the pages of operations: times, cron expressions, reports. */
import { describe, expect, it } from 'vitest';
import { lengthWords, reportWords, timeView } from '../../../../api/admin/format.ts';
import { cronWords } from '../../../../api/admin/schedules-view.ts';

describe('a cron expression in words', () => {
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
  ])('%s is %s', (expression, words) => expect(cronWords(expression)).toBe(words));

  it.each(['*/10 * * * * *', '0 8 1 6 *', '0 8-18 * * *', '0 8 * * 1-5', '30 */2 * * 1', '7 */6 * * *'])(
    '%s is unusual and stays as it is',
    expression => expect(cronWords(expression)).toBe(expression),
  );
});

describe('a time', () => {
  const now = new Date('2026-03-01T20:30:00Z');
  it('is told on the clocks of Dubai, and from now', () => {
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
  ])('of %d ms is %s', (ms, words) => expect(lengthWords(ms)).toBe(words));
});

describe('a report', () => {
  it('says what changes, why it was held, its figures and its first hundred rows', () => {
    const rows = Array.from({ length: 120 }, (_, key) => ({
      key: String(key),
      outcome: 'deleted' as const,
      reason: 'gone',
    }));
    const words = reportWords({
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

  it.each([null, undefined, 'text', 7, [], { pages: 12 }])(
    'of another kind (%j) is no reason to fail',
    report => {
      expect(reportWords(report)).toMatchObject({ changes: undefined, reasons: [], rows: [], more: 0 });
    },
  );
});
