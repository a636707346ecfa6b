import { describe, expect, it } from 'vitest';
import { clickRange, TimeZone } from '../../../../../core/domain/links/click-range.ts';

const since = new Date('2026-01-10T21:00:00Z');
const now = new Date('2026-01-12T21:30:00Z');

describe('clickRange', () => {
  it('defaults to the days from the creation of the campaign to today, in Dubai time', () => {
    const range = clickRange({ timeZone: 'Asia/Dubai' }, since, now);
    expect(range.days).toEqual(['2026-01-11', '2026-01-12', '2026-01-13']);
    expect(range.from.toISOString()).toBe('2026-01-10T20:00:00.000Z');
    expect(range.to.toISOString()).toBe('2026-01-13T20:00:00.000Z');
  });

  it('includes the last day whole', () => {
    const range = clickRange({ from: '2026-03-01', to: '2026-03-01', timeZone: 'America/New_York' }, since, now);
    expect(range.days).toEqual(['2026-03-01']);
    expect([range.from.toISOString(), range.to.toISOString()]).toEqual([
      '2026-03-01T05:00:00.000Z',
      '2026-03-02T05:00:00.000Z',
    ]);
  });

  it('starts and ends at given times; the end is exclusive', () => {
    const range = clickRange(
      { from: '2026-01-11T06:00:00Z', to: '2026-01-12T20:00:00Z', timeZone: 'Asia/Dubai' },
      since,
      now,
    );
    expect(range.days).toEqual(['2026-01-11', '2026-01-12']);
    expect(range.starts.map(start => start.toISOString())).toEqual([
      '2026-01-11T06:00:00.000Z',
      '2026-01-11T20:00:00.000Z',
    ]);
  });

  it('has days of 23 and 25 hours at the changes of daylight saving time', () => {
    const zone = { timeZone: 'Europe/London' };
    const spring = clickRange({ from: '2026-03-29', to: '2026-03-29', ...zone }, since, now);
    const autumn = clickRange({ from: '2026-10-25', to: '2026-10-25', ...zone }, since, now);
    const hours = ({ from, to }: typeof spring) => (to.getTime() - from.getTime()) / 3_600_000;
    expect([hours(spring), hours(autumn)]).toEqual([23, 25]);
  });

  it('covers at most two years: shortens the default, rejects an earlier from', () => {
    const years = new Date('2020-01-01T00:00:00Z');
    expect(clickRange({ timeZone: 'UTC' }, years, now).days).toHaveLength(731);
    expect(() => clickRange({ from: '2020-01-01', timeZone: 'UTC' }, years, now)).toThrow('one fault');
  });

  it('rejects a range that ends before it begins', () =>
    expect(() => clickRange({ from: '2026-02-02', to: '2026-02-01', timeZone: 'UTC' }, since, now)).toThrow());
});

describe('TimeZone', () => {
  it.each(['Asia/Dubai', 'Europe/London', 'America/Argentina/Buenos_Aires', 'UTC'])('accepts %s', zone =>
    expect(TimeZone.parse(zone)).toBe(zone),
  );
  it.each(['', 'Dubai', '+04:00', "Asia/Dubai'; drop table link", 'Mars/Olympus'])('rejects %j', zone =>
    expect(TimeZone.safeParse(zone).success).toBe(false),
  );
  it('defaults to Asia/Dubai', () => expect(TimeZone.parse(undefined)).toBe('Asia/Dubai'));
});
