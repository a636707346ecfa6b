/** Due times of cron expressions in a time zone, each time once, daylight saving changes included. */
import { describe, expect, it } from 'vitest';
import { dueTimes } from '../../../../core/schedules/schedule.ts';

const at = (iso: string): Date => new Date(iso);
const between = (cron: string, timeZone: string, after: string, until: string, limit = 100): string[] =>
  dueTimes({ cron, timeZone })
    .between(at(after), at(until), limit)
    .map(time => time.toISOString().replace('.000Z', 'Z'));

describe('the next due time', () => {
  it.each([
    { cron: '0 * * * *', zone: 'Asia/Dubai', after: '2026-01-31T08:00:00Z', next: '2026-01-31T09:00:00.000Z' },
    { cron: '0 * * * *', zone: 'Asia/Dubai', after: '2026-01-31T08:59:59.999Z', next: '2026-01-31T09:00:00.000Z' },
    { cron: '30 2 * * *', zone: 'Asia/Dubai', after: '2026-01-31T08:00:00Z', next: '2026-01-31T22:30:00.000Z' },
    { cron: '0 0 1 * *', zone: 'Asia/Dubai', after: '2026-02-01T00:00:00Z', next: '2026-02-28T20:00:00.000Z' },
    { cron: '0 9 * * 1-5', zone: 'Asia/Dubai', after: '2026-01-30T05:00:00Z', next: '2026-02-02T05:00:00.000Z' },
    { cron: '*/10 * * * * *', zone: 'UTC', after: '2026-01-31T08:00:00Z', next: '2026-01-31T08:00:10.000Z' },
    { cron: '0 0 29 2 *', zone: 'UTC', after: '2026-01-31T08:00:00Z', next: '2028-02-29T00:00:00.000Z' },
  ])('of $cron in $zone after $after is $next', ({ cron, zone, after, next }) =>
    expect(dueTimes({ cron, timeZone: zone }).next(at(after)).toISOString()).toBe(next),
  );
});

describe('due times in an interval', () => {
  it('exclude its start and include its end', () =>
    expect(between('0 * * * *', 'Asia/Dubai', '2026-01-31T08:00:00Z', '2026-01-31T11:00:00Z')).toEqual([
      '2026-01-31T09:00:00Z',
      '2026-01-31T10:00:00Z',
      '2026-01-31T11:00:00Z',
    ]));

  it('are none between two due times', () => {
    expect(between('0 * * * *', 'UTC', '2026-01-31T08:00:00Z', '2026-01-31T08:59:59.999Z')).toEqual([]);
    expect(between('0 * * * *', 'UTC', '2026-01-31T08:00:00Z', '2026-01-31T08:00:00Z')).toEqual([]);
  });

  it('are the newest when there are more than the limit', () =>
    expect(between('* * * * *', 'UTC', '2026-01-31T00:00:00Z', '2026-01-31T08:00:30Z', 2)).toEqual([
      '2026-01-31T07:59:00Z',
      '2026-01-31T08:00:00Z',
    ]));

  it('occur once a day when clocks are put forward or back', () => {
    expect(between('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z')).toEqual([
      '2026-03-29T01:30:00Z',
      '2026-03-30T00:30:00Z',
    ]);
    expect(between('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
  });
});
