import { describe, expect, it } from 'vitest';
import { type PagedList, type Range, readRange, readWhole } from '../../../../../core/integrations/directory/paging.ts';

/** Positions of a list; the vendor leaves out null ones, but counts their positions. */
type Position = number | null;
const rowsOf = (positions: readonly Position[]) => positions.flatMap(row => (row === null ? [] : [row]));
const readRows = (rows: readonly number[]) => rows.map(row => ({ id: String(row), row }));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

interface Vendor {
  positions: Position[];
  sorted?: boolean;
  hasTotal?: boolean;
  /** Called after each page, with the number of pages sent so far. */
  onPage?: (pages: number, positions: Position[]) => void;
  cut?: (positions: readonly Position[], range: Range) => readonly Position[];
}

function listOf({ positions, sorted = true, hasTotal = false, onPage, cut = slice }: Vendor) {
  const ranges: Range[] = [];
  const list: PagedList<number> = {
    title: 'numbers',
    sorted,
    async readPage(range) {
      const items = readRows(rowsOf(cut(positions, range)));
      const total = hasTotal ? rowsOf(positions).length : undefined;
      ranges.push(range);
      onPage?.(ranges.length, positions);
      return { items, total };
    },
  };
  return { list, ranges };
}

const slice = (positions: readonly Position[], { offset, limit }: Range) => positions.slice(offset, offset + limit);
const remove = (positions: Position[], row: number) => void positions.splice(positions.indexOf(row), 1);

describe.each([true, false])('a list of which the vendor returns short pages (sorted: %s)', sorted => {
  it.each([0, 1, 99, 100, 101, 200, 250])('of %d rows is read to an empty page', async count => {
    const short = (positions: readonly Position[], { offset, limit }: Range) =>
      positions.slice(offset, offset + limit - 3);
    const { list } = listOf({ positions: numbers(count), sorted, cut: short });
    expect(await readWhole(list)).toEqual(numbers(count));
  });

  it('is complete when a page is short because of rows that the vendor leaves out', async () => {
    const positions = numbers(350).map(row => (row % 9 === 0 ? null : row));
    expect(await readWhole(listOf({ positions, sorted }).list)).toEqual(rowsOf(positions));
  });
});

describe('a list that changes while it is read', () => {
  it('is read again when a deletion moved a row into a page that was read', async () => {
    const { list, ranges } = listOf({
      positions: numbers(150),
      onPage: (pages, positions) => pages === 1 && remove(positions, 1),
    });
    expect(await readWhole(list)).toEqual(numbers(150).slice(1));
    expect(ranges.map(({ offset }) => offset)).toEqual([0, 99, 0, 99, 148]);
  });

  it('is read again when rows were added and deleted, which leaves the total unchanged', async () => {
    const { list } = listOf({
      positions: numbers(150),
      hasTotal: true,
      onPage(pages, positions) {
        if (pages !== 1) return;
        remove(positions, 1);
        positions.push(151);
      },
    });
    expect(await readWhole(list)).toEqual(numbers(151).slice(1));
  });

  it('is read until two reads agree if it is not sorted and has no total', async () => {
    const { list, ranges } = listOf({
      positions: numbers(150),
      sorted: false,
      onPage: (pages, positions) => pages === 1 && remove(positions, 1),
    });
    expect(await readWhole(list)).toEqual(numbers(150).slice(1));
    expect(ranges.filter(({ offset }) => offset === 0)).toHaveLength(3);
  });

  it('is an error if it changes in each of four reads', async () => {
    const { list, ranges } = listOf({
      positions: numbers(300),
      hasTotal: true,
      onPage: (_, positions) => void positions.shift(),
    });
    await expect(readWhole(list)).rejects.toThrow('an incomplete list of numbers in 4 reads');
    expect(ranges).toHaveLength(8);
  });
});

describe('an unreliable vendor', () => {
  it('that ignores the offset causes an error instead of an endless read', async () => {
    const ignore = (positions: readonly Position[], { limit }: Range) => positions.slice(0, limit);
    await expect(readWhole(listOf({ positions: numbers(150), cut: ignore }).list)).rejects.toThrow('incomplete');
  });

  it('that counts more rows than it returns causes an error', async () => {
    const hide = (positions: readonly Position[], range: Range) => slice(positions.slice(0, -1), range);
    const { list } = listOf({ positions: numbers(150), hasTotal: true, cut: hide });
    await expect(readWhole(list)).rejects.toThrow('incomplete');
  });
});

describe('a range', () => {
  it('is filled over short pages, and ends at the total', async () => {
    const short = (positions: readonly Position[], { offset, limit }: Range) =>
      positions.slice(offset, offset + Math.max(1, limit - 3));
    const { list } = listOf({ positions: numbers(250), hasTotal: true, cut: short });
    expect(await readRange(list, { offset: 10, limit: 180 })).toEqual({ items: numbers(190).slice(10), total: 250 });
    expect((await readRange(list, { offset: 240, limit: 100 })).items).toEqual(numbers(250).slice(240));
    expect((await readRange(list, { offset: 900, limit: 100 })).items).toEqual([]);
  });

  it('is read again when the total changed between its pages', async () => {
    const { list } = listOf({
      positions: numbers(250),
      hasTotal: true,
      onPage: (pages, positions) => pages === 1 && remove(positions, 1),
    });
    expect(await readRange(list, { offset: 0, limit: 200 })).toEqual({ items: numbers(201).slice(1), total: 249 });
  });
});

describe('a read whose pages are given', () => {
  /** @param pages the pages in the order in which they are read, with the total that the vendor counts then */
  function listOfPages(sorted: boolean, ...pages: { rows: number[]; total?: number }[]) {
    const offsets: number[] = [];
    const list: PagedList<number> = {
      title: 'numbers',
      sorted,
      readPage: async ({ offset }) => {
        offsets.push(offset);
        const { rows = [], total } = pages.shift() ?? {};
        return { items: readRows(rows), total };
      },
    };
    return { list, offsets };
  }
  const full = { rows: numbers(100) };
  const [second, none] = [{ rows: [101] }, { rows: [] }];
  const confirmed = [full, second, none];
  const repeated = [full, second, full];

  it('is repeated when the total changed, although the first total was reached', async () => {
    const [total, changed] = [101, 102];
    const { list, offsets } = listOfPages(
      true,
      { ...full, total },
      { rows: [100, 101], total: changed },
      { ...full, total: changed },
      { rows: [100, 101, 102], total: changed },
    );
    expect(await readWhole(list)).toEqual(numbers(102));
    expect(offsets).toEqual([0, 99, 0, 99]);
  });

  it('is confirmed by the next read, if that did not change', async () => {
    const { list } = listOfPages(false, ...confirmed, ...repeated, ...confirmed, ...confirmed);
    expect(await readWhole(list)).toEqual(numbers(101));
  });

  it.each([
    ['changed after one that did not', [...confirmed, ...repeated, ...confirmed, ...confirmed], 12],
    ['did not change after one that did', [...repeated, ...confirmed, ...confirmed], 9],
    ['has rows fewer than the one before', [full, { rows: [101, 102] }, none, ...confirmed, ...confirmed], 9],
    ['has other rows than the one before', [full, { rows: [102] }, none, ...confirmed, ...confirmed], 9],
  ])('is not confirmed by one that %s', async (_, pages, reads) => {
    const { list, offsets } = listOfPages(false, ...pages);
    expect(await readWhole(list)).toEqual(numbers(101));
    expect(offsets).toHaveLength(reads);
  });

  it('of a range is repeated four times, and then an error', async () => {
    const changing = () => [1, 2].map(total => ({ rows: [total], total: 200 + total }));
    const four = [...changing(), ...changing(), ...changing(), ...changing()];
    const { list, offsets } = listOfPages(true, ...four, { rows: [1, 2], total: 2 });
    await expect(readRange(list, { offset: 0, limit: 2 })).rejects.toMatchObject({
      message: expect.stringContaining('an incomplete list of numbers in 4 reads'),
      failure: { kind: 'incomplete', system: 'directory', code: 'incomplete' },
    });
    expect(offsets).toHaveLength(8);
  });

  it('of a range ends at an empty page', async () => {
    const { list } = listOfPages(true, { rows: [1], total: 5 }, { rows: [], total: 5 });
    expect(await readRange(list, { offset: 0, limit: 5 })).toEqual({ items: [1], total: 5 });
  });
});
