/** The steps of a mirror update, with a simulated table: what is read, staged, applied, held and resumed. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import type { Db } from '../../../../core/postgres/client.ts';
import type { ReadPage } from '../../../../core/sync/cursor.ts';
import {
  type MirrorContext,
  type MirrorOptions,
  type MirrorSource,
  updateMirror,
} from '../../../../core/sync/mirror.ts';
import type { Changes } from '../../../../core/sync/mirror-table.ts';
import type { SyncState } from '../../../../core/sync/states.ts';

interface Row {
  id: number;
  modifiedAt: Date;
}

const now = new Date('2026-01-31T12:00:00Z');
const yesterday = new Date('2026-01-30T12:00:00Z');
const changedAt = new Date('2026-01-31T09:00:00Z');
const noChanges: Changes = { matched: 0, created: 0, updated: 0, deleted: 0 };
const transaction: Db = Object.create(null);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => vi.useRealTimers());

const page = (ids: number[], read: number, total: number, bad: number[] = []): ReadPage<Row> => ({
  rows: ids.map(id => ({ id, modifiedAt: changedAt })),
  unreadable: bad.map(id => ({ id, reason: 'bad' })),
  position: { after: ids.at(-1) ?? 0, read, total },
});

interface Given {
  pages?: (ReadPage<Row> | Error)[];
  state?: Partial<SyncState>;
  /** The changes that the table finds. */
  found?: Partial<Changes>;
  checkpoint?: unknown;
  staged?: number;
  released?: unknown;
  signal?: AbortSignal;
}

function setUp({
  pages = [page([1, 2], 2, 3), page([3], 3, 3)],
  state,
  found,
  checkpoint,
  staged = 0,
  released,
  signal,
}: Given = {}) {
  const log: string[] = [];
  const requests: unknown[] = [];
  const progress: unknown[][] = [];
  const written: unknown[] = [];
  let stored = checkpoint;
  const changes = { ...noChanges, ...found };
  const source: MirrorSource<Row> = {
    kind: 'deals',
    title: 'The deals',
    async *read(options) {
      requests.push(options);
      for (const next of pages) {
        if (next instanceof Error) throw next;
        yield next;
      }
    },
    table: {
      stage: async (job, { rows, unreadable }, lastStep) => {
        log.push(`stage ${job} ${rows.length}+${unreadable.length}`);
        await lastStep(transaction);
      },
      merge: async (rows, lastStep) => {
        log.push(`merge ${rows.length}`);
        await lastStep?.(transaction, { ...noChanges, created: rows.length });
      },
      compare: async ({ jobId, read, readAt }) => {
        log.push(`compare ${jobId} ${read} ${readAt.toISOString()}`);
        return changes;
      },
      replace: async ({ jobId, read, readAt }, lastStep) => {
        log.push(`replace ${jobId} ${read} ${readAt.toISOString()}`);
        await lastStep(transaction, changes);
        return changes;
      },
      changedRows: async () => [
        { key: '1', name: 'One', outcome: 'created' },
        { key: '2', name: 'Two', outcome: 'deleted' },
        { key: '3', name: 'Three', outcome: 'updated' },
      ],
      countStaged: async () => staged,
      dropStaged: async job => void log.push(`drop ${job}`),
      dropAbandoned: async job => void log.push(`drop others than ${job}`),
    },
  };
  const states = {
    read: async (kind: string): Promise<SyncState | undefined> =>
      state && kind === 'deals'
        ? {
            read: 3,
            changedSince: changedAt,
            cursor: null,
            asOf: yesterday,
            fullAt: yesterday,
            unreadable: [],
            ...state,
          }
        : undefined,
    write: async (kind: string, change: Partial<SyncState>, db?: Db) =>
      void written.push({ kind, ...change, inTransaction: db === transaction }),
  };
  const context: MirrorContext = {
    jobId: 'job',
    signal: signal ?? new AbortController().signal,
    progress: (...args) => void progress.push(args),
    checkpoint: {
      read: async () => stored,
      write: async (value, db) => {
        if (value !== null && db !== transaction) throw new Error('the checkpoint is not part of the transaction');
        stored = value === null ? null : JSON.parse(JSON.stringify(value));
      },
    },
    ...(released !== undefined && { released: { plan: released, by: 'x', at: now } }),
  };
  const update = (options: Partial<MirrorOptions> = {}) =>
    updateMirror(source, states, { full: false, context, ...options });
  return { update, log, requests, progress, written, stored: () => stored };
}

const cursorOf = (change: object = {}) => ({
  kind: 'deals',
  full: true,
  asOf: now.toISOString(),
  changedSince: null,
  newest: changedAt.toISOString(),
  position: { after: 2, read: 2, total: 3 },
  changes: noChanges,
  unreadable: [],
  ...change,
});
const at = now.toISOString();

describe('a read of changes', () => {
  it('is merged page by page, and remembered', async () => {
    const { update, log, requests, written, progress, stored } = setUp({ state: {} });
    expect(await update()).toMatchObject({
      full: false,
      asOf: now,
      read: 3,
      heldBecause: [],
      planned: [],
      changes: { ...noChanges, created: 3 },
    });
    expect(log).toEqual(['drop others than job', 'merge 2', 'merge 1']);
    expect(requests).toEqual([{ changedSince: new Date('2026-01-31T08:50:00Z'), expected: 1 }]);
    expect(written).toEqual([
      { kind: 'deals', asOf: now, changedSince: changedAt, unreadable: [], inTransaction: false },
    ]);
    expect(progress).toEqual([
      ['reading', 2, 3, 60],
      ['reading', 3, 3, 90],
    ]);
    expect(stored()).toMatchObject({ changes: { created: 3 }, position: { read: 3 } });
  });

  it('may find none', async () => {
    const { update, written } = setUp({ state: {}, pages: [] });
    expect(await update()).toMatchObject({ full: false, read: 0 });
    expect(written).toEqual([
      { kind: 'deals', asOf: now, changedSince: changedAt, unreadable: [], inTransaction: false },
    ]);
  });

  it('has at most 90 % of the progress, also when more arrives than was counted', async () => {
    const { update, progress } = setUp({ state: {}, pages: [page([1], 5, 4)] });
    await update();
    expect(progress).toEqual([['reading', 5, 4, 90]]);
  });
});

describe('a complete read', () => {
  it.each([
    ['the first one', {}, false],
    ['one that is asked for', { state: {} }, true],
  ])('is staged, compared and applied: %s', async (_, given, full) => {
    const { update, log, written, stored } = setUp({ ...given, found: { created: 1, matched: 2 } });
    expect(await update({ full })).toMatchObject({
      full: true,
      asOf: now,
      read: 3,
      changes: { created: 1, matched: 2 },
      heldBecause: [],
    });
    expect(log).toEqual([
      'drop others than job',
      'stage job 2+0',
      'stage job 1+0',
      `compare job 3 ${at}`,
      `replace job 3 ${at}`,
    ]);
    expect(written).toEqual([
      { kind: 'deals', asOf: now, fullAt: now, read: 3, changedSince: changedAt, unreadable: [], inTransaction: true },
    ]);
    expect(stored()).toMatchObject({ changes: { created: 1, matched: 2 } });
  });

  it('expects as many rows as the last one', async () => {
    const first = setUp();
    await first.update();
    const next = setUp({ state: { read: 4 } });
    await next.update({ full: true, limits: { ...noLimits } });
    expect([first.requests, next.requests]).toEqual([[{}], [{ expected: 4 }]]);
  });

  it('keeps the rows that cannot be read', async () => {
    const { update, log } = setUp({ pages: [page([1], 2, 2, [2])] });
    expect(await update()).toMatchObject({ unreadable: [{ id: 2, reason: 'bad' }] });
    expect(log).toContain('stage job 1+1');
  });

  it('of a dry run changes nothing', async () => {
    const { update, log, written } = setUp({ state: {}, found: { created: 3 } });
    expect(await update({ dryRun: true })).toMatchObject({
      full: true,
      changes: { created: 3 },
      heldBecause: [],
      planned: [],
    });
    expect(log.at(-1)).toBe('drop job');
    expect(written).toEqual([]);
  });

  it('ends when the run is stopped', async () => {
    const { update, log } = setUp({ signal: AbortSignal.abort(new Error('stopped')) });
    await expect(update()).rejects.toThrow('stopped');
    expect(log).toEqual(['drop others than job']);
  });
});

const noLimits = { minShareOfLast: 0, maxChangedShare: 9, maxDeletedShare: 9, freeChanges: 0, freeDeletions: 0 };

describe('a read that looks like a fault of the system', () => {
  const found = { matched: 80, updated: 10, deleted: 10 };

  it('is held with its plan and the rows that it would change', async () => {
    const { update, log, written } = setUp({ state: {}, found });
    const held = await update({ full: true });
    expect(held).toMatchObject({
      heldBecause: ['10 of 100 rows would be deleted.'],
      changes: found,
      plan: { kind: 'deals', full: true, asOf: at, position: { read: 3 }, changes: found },
    });
    expect(held.planned).toEqual([
      { outcome: 'deleted', reason: expect.stringContaining('No longer'), items: [{ key: '2', name: 'Two' }] },
      { outcome: 'created', reason: expect.stringContaining('New'), items: [{ key: '1', name: 'One' }] },
      { outcome: 'updated', reason: expect.stringContaining('Changed'), items: [{ key: '3', name: 'Three' }] },
    ]);
    expect(log.at(-1)).toBe(`compare job 3 ${at}`);
    expect(written).toEqual([]);
  });

  it('is reported by a dry run', async () =>
    expect(await setUp({ state: {}, found }).update({ dryRun: true })).toMatchObject({
      heldBecause: ['10 of 100 rows would be deleted.'],
    }));

  it.each([
    [{ read: 10 }, ['The deals returned 3 rows; the last run read 10.']],
    [{ read: 10, fullAt: null }, []],
  ])('is one with fewer rows than the last complete read: %j', async (state, heldBecause) =>
    expect(await setUp({ state }).update({ full: true })).toMatchObject({ heldBecause }),
  );

  it('is one without rows', async () =>
    expect(await setUp({ pages: [] }).update()).toMatchObject({ heldBecause: ['The deals returned no rows.'] }));

  it('may be checked with other limits', async () => {
    const { update } = setUp({ found: { matched: 70, updated: 40 } });
    expect(await update()).toMatchObject({ heldBecause: [] });
    expect(await update({ limits: { ...noLimits, maxChangedShare: 0.3 } })).toMatchObject({
      heldBecause: ['40 of 110 rows would be changed.'],
    });
  });
});

describe('an interrupted read', () => {
  it('continues at its position', async () => {
    const { update, requests, log } = setUp({ checkpoint: cursorOf(), staged: 2, pages: [page([3], 3, 3)] });
    expect(await update()).toMatchObject({ full: true, read: 3 });
    expect(requests).toEqual([{ from: { after: 2, read: 2, total: 3 } }]);
    expect(log).toContain('stage job 1+0');
  });

  it('keeps the rows that could not be read before', async () => {
    const checkpoint = cursorOf({ unreadable: [{ id: 1, reason: 'bad' }] });
    const { update } = setUp({ checkpoint, staged: 2, pages: [page([3], 3, 3)] });
    expect(await update()).toMatchObject({ unreadable: [{ id: 1, reason: 'bad' }] });
  });

  it('of changes continues at its position, with its counts', async () => {
    const checkpoint = cursorOf({
      full: false,
      changedSince: yesterday.toISOString(),
      changes: { ...noChanges, created: 2 },
    });
    const { update, requests } = setUp({ checkpoint, state: {}, pages: [page([3], 3, 3)] });
    expect(await update()).toMatchObject({ full: false, read: 3, changes: { created: 3 } });
    expect(requests).toEqual([{ changedSince: yesterday, from: { after: 2, read: 2, total: 3 }, expected: 1 }]);
  });

  it.each([
    ['has no position', cursorOf({ position: null }), {}],
    ['is of another list', cursorOf({ kind: 'places' }), {}],
    ['has lost its staged rows', cursorOf(), { staged: 1 }],
    ['is older than the mirror', cursorOf({ asOf: '2026-01-29T00:00:00.000Z' }), { state: {}, staged: 2 }],
    ['is of another version', { kind: 'deals' }, {}],
  ])('starts again when it %s', async (_, checkpoint, given) => {
    const { update, requests } = setUp({ checkpoint, staged: 9, ...given });
    await update({ full: true });
    expect(requests).toEqual([expect.not.objectContaining({ from: expect.anything() })]);
  });

  it('continues when it is newer than the mirror', async () => {
    const { update, requests } = setUp({ checkpoint: cursorOf(), state: {}, staged: 2, pages: [page([3], 3, 3)] });
    await update();
    expect(requests).toEqual([{ from: { after: 2, read: 2, total: 3 }, expected: 3 }]);
  });

  it('that was applied already changes nothing more', async () => {
    const checkpoint = cursorOf({ changes: { ...noChanges, created: 3 }, position: { after: 3, read: 3, total: 3 } });
    const { update, log, requests, written } = setUp({ checkpoint, state: { asOf: now } });
    expect(await update()).toMatchObject({ changes: { created: 3 }, read: 3, heldBecause: [] });
    expect([log, requests, written]).toEqual([[], [], []]);
  });
});

describe('an incomplete read', () => {
  const error = (code?: string) =>
    new UpstreamError('upstream-failed', 'x', {
      kind: 'incomplete',
      system: 'crm',
      ...(code !== undefined && { code }),
    });

  it('starts again in the next run, because the page with the missing rows is unknown', async () => {
    const { update, log, stored, written } = setUp({ pages: [page([1, 2], 2, 3), error('incomplete')] });
    await expect(update()).rejects.toMatchObject({ failure: { code: 'incomplete' } });
    expect(log.at(-1)).toBe('drop job');
    expect([stored(), written]).toEqual([null, []]);
  });

  it.each([error(), error('X'), Object.assign(new Error('x'), { failure: { code: 'incomplete' } })])(
    'continues after another failure: %#',
    async failure => {
      const { update, log, stored } = setUp({ pages: [page([1, 2], 2, 3), failure] });
      await expect(update()).rejects.toBe(failure);
      expect(log.at(-1)).toBe('stage job 2+0');
      expect(stored()).toMatchObject({ position: { after: 2, read: 2, total: 3 } });
    },
  );
});

describe('a released run', () => {
  const held = cursorOf({ position: { after: 3, read: 3, total: 3 } });

  it('applies the read that was held', async () => {
    const { update, log, requests, written } = setUp({ released: held, state: {}, found: { deleted: 10 } });
    expect(await update()).toMatchObject({ full: true, read: 3, changes: { deleted: 10 }, heldBecause: [] });
    expect([log, requests]).toEqual([[`replace job 3 ${at}`], []]);
    expect(written).toEqual([
      { kind: 'deals', asOf: now, fullAt: now, read: 3, changedSince: changedAt, unreadable: [], inTransaction: true },
    ]);
  });

  it('applies it although nothing was read before', async () => {
    const { update, log } = setUp({ released: held });
    await update();
    expect(log).toEqual([`replace job 3 ${at}`]);
  });

  it('changes nothing when it was applied already', async () => {
    const { update, log } = setUp({ released: held, state: { asOf: now } });
    expect(await update()).toMatchObject({ read: 3, heldBecause: [] });
    expect(log).toEqual([]);
  });

  it('is a conflict when a newer read was applied', async () => {
    const { update, log } = setUp({ released: held, state: { asOf: new Date(now.getTime() + 1) } });
    await expect(update()).rejects.toMatchObject({
      code: 'conflict',
      message: 'A newer read was applied after this one was held; nothing was changed.',
    });
    expect(log).toEqual([]);
  });

  it('reads a list that it did not hold', async () => {
    const { update, requests } = setUp({ released: cursorOf({ kind: 'places' }) });
    await update();
    expect(requests).toHaveLength(1);
  });

  it('with another plan is an error', () => expect(setUp({ released: { kind: 'deals' } }).update()).rejects.toThrow());
});
