/** The rows of one kind that a system keeps: seeded when first asked for, and emptied, halved or put back by /control. */

export type RowKey = string | number;

export interface CollectionOptions<Row> {
  /** Makes the rows afresh, always the same ones; called when a row is first needed and after a reset. */
  seed: () => Iterable<Row>;
  key: (row: Row) => RowKey;
}

export interface Collection<Row> {
  readonly size: number;
  /** In the order of their making. */
  all(): readonly Row[];
  get(key: RowKey): Row | undefined;
  /** Adds the row, or takes the place of the one with its key. */
  put(row: Row): void;
  delete(key: RowKey): boolean;
  empty(): void;
  /** Keeps the first half. */
  halve(): void;
  reset(): void;
  /** Something made of all rows (an index), made again when it is asked for after a change by these methods. */
  derive<Made>(make: (rows: readonly Row[]) => Made): () => Made;
}

export function createCollection<Row>({ seed, key }: CollectionOptions<Row>): Collection<Row> {
  let rows: Map<string, Row> | undefined;
  let listed: readonly Row[] | undefined;

  const seeded = (): Map<string, Row> => {
    rows ??= mapOf(seed());
    return rows;
  };
  const mapOf = (of: Iterable<Row>) => new Map(Array.from(of, row => [String(key(row)), row] as const));
  const changeTo = (changed: Map<string, Row> | undefined) => {
    rows = changed;
    listed = undefined;
  };
  const all = (): readonly Row[] => {
    listed ??= [...seeded().values()];
    return listed;
  };

  return {
    get size() {
      return seeded().size;
    },
    all,
    get: wanted => seeded().get(String(wanted)),
    put: row => changeTo(seeded().set(String(key(row)), row)),
    delete(gone) {
      const changed = seeded();
      const existed = changed.delete(String(gone));
      changeTo(changed);
      return existed;
    },
    empty: () => changeTo(new Map()),
    halve: () => changeTo(mapOf(all().slice(0, Math.ceil(all().length / 2)))),
    reset: () => changeTo(undefined),
    derive(make) {
      // The listed rows are a new array after each change: they tell whether what was made of them still holds.
      let made: { from: readonly Row[]; value: ReturnType<typeof make> } | undefined;
      return () => {
        const from = all();
        if (made?.from !== from) made = { from, value: make(from) };
        return made.value;
      };
    },
  };
}
