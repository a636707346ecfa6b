import { describe, expect, it } from 'vitest';
import { type PagedList, type Range, readRange, readWhole } from '../../../../../core/integrations/directory/paging.ts';

/** Positions of a list; the vendor leaves out null ones, but counts their positions. */
type Position = number | null;
const rowsOf = (positions: readonly Position[]) => positions.flatMap(row => (row === null ? [] : [row]));
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
    idOf: String,
    sorted,
    async readPage(range) {
      const items = rowsOf(cut(positions, range));
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
    expect(await readRange(list, { offset: 10, limit: 180 })).toEqual({
      items: numbers(190).slice(10),
      total: 250,
    });
    expect((await readRange(list, { offset: 240, limit: 100 })).items).toEqual(numbers(250).slice(240));
    expect((await readRange(list, { offset: 900, limit: 100 })).items).toEqual([]);
  });

  it('is read again when the total changed between its pages', async () => {
    const { list } = listOf({
      positions: numbers(250),
      hasTotal: true,
      onPage: (pages, positions) => pages === 1 && remove(positions, 1),
    });
    expect(await readRange(list, { offset: 0, limit: 200 })).toEqual({
      items: numbers(201).slice(1),
      total: 249,
    });
  });
});
