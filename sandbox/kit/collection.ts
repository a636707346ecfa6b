/** The rows of one kind in a simulated system: seeded on first use; `/control` empties, halves or resets them. */

export type RowKey = string | number;

export interface CollectionOptions<Row> {
  /** Returns the same rows each time; called on first use and after a reset. */
  seed: () => Iterable<Row>;
  key: (row: Row) => RowKey;
}

export interface Collection<Row> {
  readonly size: number;
  /** In insertion order. */
  all(): readonly Row[];
  get(key: RowKey): Row | undefined;
  /** Inserts the row, or replaces the row with the same key. */
  put(row: Row): void;
  delete(key: RowKey): boolean;
  empty(): void;
  /** Keeps the first half. */
  halve(): void;
  reset(): void;
  /** All rows, the same array until the next change; undefined while they are the seed. */
  changedRows(): readonly Row[] | undefined;
  restore(changedRows: readonly Row[]): void;
  /** Returns a getter of a value computed from all rows, such as an index; recomputed after a change by these methods. */
  derive<Value>(compute: (rows: readonly Row[]) => Value): () => Value;
}

export function createCollection<Row>({ seed, key }: CollectionOptions<Row>): Collection<Row> {
  let rows: Map<string, Row> | undefined;
  let listed: readonly Row[] | undefined;
  let isChanged = false;

  const seeded = (): Map<string, Row> => {
    rows ??= mapOf(seed());
    return rows;
  };
  const mapOf = (of: Iterable<Row>) => new Map(Array.from(of, row => [String(key(row)), row] as const));
  const replaceRows = (changed: Map<string, Row> | undefined) => {
    rows = changed;
    listed = undefined;
    isChanged = changed !== undefined;
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
    get: rowKey => seeded().get(String(rowKey)),
    put: row => replaceRows(seeded().set(String(key(row)), row)),
    delete(rowKey) {
      const changed = seeded();
      const existed = changed.delete(String(rowKey));
      replaceRows(changed);
      return existed;
    },
    empty: () => replaceRows(new Map()),
    halve: () => replaceRows(mapOf(all().slice(0, Math.ceil(all().length / 2)))),
    reset: () => replaceRows(undefined),
    changedRows: () => (isChanged ? all() : undefined),
    restore: restored => replaceRows(mapOf(restored)),
    derive(compute) {
      // `all` returns a new array after each change, so an identical array means an unchanged value.
      let cached: { rows: readonly Row[]; value: ReturnType<typeof compute> } | undefined;
      return () => {
        const current = all();
        if (cached?.rows !== current) cached = { rows: current, value: compute(current) };
        return cached.value;
      };
    },
  };
}
