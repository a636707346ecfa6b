import { describe, expect, it } from 'vitest';
import { dayPlus, daysFromTo, dubaiDay, dubaiDayOf, dubaiTimeOf } from '../../../../core/values/dubai-time.ts';

describe('a day in Dubai', () => {
  it('begins at eight in the evening of the day before in UTC, and ends where the next begins', () => {
    const { from, to } = dubaiDay('2026-03-01');
    expect([from, to].map(time => time.toISOString())).toEqual([
      '2026-02-28T20:00:00.000Z',
      '2026-03-01T20:00:00.000Z',
    ]);
    expect([dubaiDayOf(from), dubaiTimeOf(from)]).toEqual(['2026-03-01', '00:00']);
    expect(dubaiDayOf(to)).toBe('2026-03-02');
  });

  it('is counted across months, leap years and backwards', () => {
    expect(dayPlus('2028-02-28', 1)).toBe('2028-02-29');
    expect(dayPlus('2026-01-01', -1)).toBe('2025-12-31');
    expect(daysFromTo('2028-01-01', '2028-12-31')).toBe(366);
    expect(daysFromTo('2026-05-02', '2026-05-01')).toBe(0);
  });
});
