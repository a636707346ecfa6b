import { describe, expect, it } from 'vitest';
import {
  addDays,
  countDays,
  dubaiDay,
  dubaiDayOf,
  dubaiTimeOf,
  isWithinHours,
  parseSendingHours,
  secondsUntilDubaiMidnight,
  secondsUntilHours,
  startOfDubaiDay,
} from '../../../../core/values/dubai-time.ts';

describe('a day in Dubai', () => {
  it('starts at 20:00 UTC of the previous day and ends where the next day starts', () => {
    const { from, to } = dubaiDay('2026-03-01');
    expect([from, to].map(time => time.toISOString())).toEqual([
      '2026-02-28T20:00:00.000Z',
      '2026-03-01T20:00:00.000Z',
    ]);
    expect([dubaiDayOf(from), dubaiTimeOf(from)]).toEqual(['2026-03-01', '00:00']);
    expect(dubaiDayOf(to)).toBe('2026-03-02');
    expect(startOfDubaiDay(new Date('2026-03-01T19:59:59Z'))).toEqual(new Date('2026-02-28T20:00:00Z'));
    expect(startOfDubaiDay(new Date('2026-03-01T20:00:00Z'))).toEqual(new Date('2026-03-01T20:00:00Z'));
    expect(secondsUntilDubaiMidnight(new Date('2026-03-01T19:59:00Z'))).toBe(60);
    expect(secondsUntilDubaiMidnight(new Date('2026-03-01T20:00:00Z'))).toBe(86_400);
  });

  it('is counted across months, leap years and backwards', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(countDays('2028-01-01', '2028-12-31')).toBe(366);
    expect(countDays('2026-05-02', '2026-05-01')).toBe(0);
  });
});

describe('parseSendingHours', () => {
  it.each([
    ['09:00-18:00', 540, 1_080],
    ['00:00-24:00', 0, 1_440],
    ['07:30-21:15', 450, 1_275],
  ])('parses %s', (text, from, to) => expect(parseSendingHours(text)).toEqual({ from, to }));

  it.each(['9-18', '18:00-09:00', '09:00-09:00', '09:60-18:00', '09:00-25:00', '', 'always'])(
    'returns undefined for %j',
    text => expect(parseSendingHours(text)).toBeUndefined(),
  );
});

describe('the hours from 09:00 to 18:00 in Dubai', () => {
  const hours = { from: 540, to: 1_080 };

  it.each([
    ['04:59:59', false],
    ['05:00:00', true],
    ['13:59:59', true],
    ['14:00:00', false],
    ['22:00:00', false],
  ])('include %s UTC: %s', (time, within) =>
    expect(isWithinHours(hours, new Date(`2026-03-01T${time}Z`))).toBe(within),
  );

  it.each([
    ['04:59:30', 30],
    ['14:00:00', 15 * 3_600],
    ['23:00:00', 6 * 3_600],
  ])('begin, seen from %s UTC, in %s s', (time, seconds) =>
    expect(secondsUntilHours(hours, new Date(`2026-03-01T${time}Z`))).toBe(seconds),
  );
});
