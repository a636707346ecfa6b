/** The position of a mirror update: where it starts, what it adds up, and up to when changes are known. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newCursor, type ReadCursor, watermark, withChanges, withPage } from '../../../../core/sync/cursor.ts';
import type { SyncState } from '../../../../core/sync/states.ts';

const now = '2026-01-31T12:00:00.000Z';
const stateOf = (changedSince: string | null): SyncState => ({
  read: 5,
  cursor: null,
  asOf: new Date('2026-01-30T00:00:00Z'),
  fullAt: null,
  unreadable: [],
  changedSince: changedSince === null ? null : new Date(changedSince),
});

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) }));
afterEach(() => vi.useRealTimers());

describe('a new cursor', () => {
  const changed = stateOf('2026-01-31T11:00:00Z');

  it('continues ten minutes before the last known change', () =>
    expect(newCursor('deals', changed, false)).toEqual({
      kind: 'deals',
      full: false,
      asOf: now,
      changedSince: '2026-01-31T10:50:00.000Z',
      newest: '2026-01-31T11:00:00.000Z',
      position: null,
      unreadable: [],
      changes: { matched: 0, created: 0, updated: 0, deleted: 0 },
    }));

  it.each([
    ['everything was asked for', changed, true],
    ['nothing was read before', undefined, false],
    ['the last read knows no changes', stateOf(null), false],
  ])('reads everything when %s', (_, state, full) =>
    expect(newCursor('deals', state, full)).toMatchObject({ full: true, changedSince: null }),
  );

  it('of a complete read keeps the last known change', () => {
    expect(newCursor('deals', changed, true).newest).toBe('2026-01-31T11:00:00.000Z');
    expect(newCursor('deals', undefined, true).newest).toBeNull();
  });
});

describe('a page', () => {
  const cursor = newCursor('deals', undefined, true);
  const position = { after: 9, read: 2, total: 5 };
  const row = (time: string) => ({ modifiedAt: new Date(time) });

  it('moves the position and the newest change', () => {
    const rows = [row('2026-01-03T00:00:00Z'), row('2026-01-05T00:00:00Z'), row('2026-01-04T00:00:00Z')];
    const next = withPage(cursor, { rows, unreadable: [{ id: 1, reason: 'bad' }], position });
    expect(next).toEqual({
      ...cursor,
      position,
      newest: '2026-01-05T00:00:00.000Z',
      unreadable: [{ id: 1, reason: 'bad' }],
    });
    const older = withPage(next, {
      rows: [row('2026-01-01T00:00:00Z')],
      unreadable: [{ id: 2, reason: 'x' }],
      position,
    });
    expect([older.newest, older.unreadable.map(({ id }) => id)]).toEqual(['2026-01-05T00:00:00.000Z', [1, 2]]);
  });

  it('without rows has no newest change', () =>
    expect(withPage(cursor, { rows: [], unreadable: [], position }).newest).toBeNull());

  it('keeps at most 1,000 unreadable rows', () => {
    const unreadable = Array.from({ length: 1_001 }, (_, id) => ({ id, reason: 'bad' }));
    expect(withPage(cursor, { rows: [], unreadable, position }).unreadable).toHaveLength(1_000);
  });

  it('adds its counts', () => {
    const changes = { matched: 1, created: 2, updated: 3, deleted: 4 };
    const once = withChanges(cursor, changes);
    expect(withChanges(once, changes)).toEqual({
      ...cursor,
      changes: { matched: 2, created: 4, updated: 6, deleted: 8 },
    });
  });
});

it.each([
  ['2026-01-31T11:00:00.000Z', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31T13:00:00.000Z', now],
  [null, undefined],
])('with the newest change %s, changes are known up to %s: never after the start of the read', (newest, known) => {
  const cursor: ReadCursor = { ...newCursor('deals', undefined, true), newest };
  expect(watermark(cursor)?.toISOString()).toBe(known);
});
