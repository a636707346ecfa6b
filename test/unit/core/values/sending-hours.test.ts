/** Marketing hours, in Dubai. */
import { describe, expect, it } from 'vitest';
import {
  isWithin,
  parseSendingHours,
  secondsUntilHours,
  secondsUntilMidnight,
  startOfDay,
} from '../../../../core/values/dubai-time.ts';

const nineToSix = { from: 540, to: 1_080 };

describe('hours are read', () => {
  it.each([
    ['09:00-18:00', 540, 1_080],
    ['00:00-24:00', 0, 1_440],
    ['07:30-21:15', 450, 1_275],
  ])('%s', (text, from, to) => {
    expect(parseSendingHours(text)).toEqual({ from, to });
  });
  it.each(['9-18', '18:00-09:00', '09:00-09:00', '09:60-18:00', '09:00-25:00', '', 'always'])(
    'but not %j',
    text => expect(parseSendingHours(text)).toBeUndefined(),
  );
});

describe('09:00 to 18:00 in Dubai, which is four hours before UTC', () => {
  it.each([
    ['04:59:59', false],
    ['05:00:00', true],
    ['13:59:59', true],
    ['14:00:00', false],
    ['22:00:00', false],
  ])('at %s UTC: %s', (time, within) => {
    expect(isWithin(nineToSix, new Date(`2026-03-01T${time}Z`))).toBe(within);
  });

  it.each([
    ['04:59:30', 30],
    ['14:00:00', 15 * 3_600],
    ['23:00:00', 6 * 3_600],
  ])('from %s UTC they begin again in %s s', (time, seconds) => {
    expect(secondsUntilHours(nineToSix, new Date(`2026-03-01T${time}Z`))).toBe(seconds);
  });
});

it('a day in Dubai begins at 20:00 UTC', () => {
  expect(startOfDay(new Date('2026-03-01T19:59:59Z'))).toEqual(new Date('2026-02-28T20:00:00Z'));
  expect(startOfDay(new Date('2026-03-01T20:00:00Z'))).toEqual(new Date('2026-03-01T20:00:00Z'));
  expect(secondsUntilMidnight(new Date('2026-03-01T19:59:00Z'))).toBe(60);
  expect(secondsUntilMidnight(new Date('2026-03-01T20:00:00Z'))).toBe(86_400);
});
