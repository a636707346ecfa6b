/** The paths of the CRM's locations after merges: as computed from all rows, by reading only those near the written ones. */
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createCrmLocations, type MirroredLocation } from '../../../../../core/domain/crm/locations.ts';
import { openDatabase } from '../../../../../core/postgres/client.ts';
import { useTestDatabase } from '../../../../support/test-database.ts';

const { database, url } = await useTestDatabase('crm-locations');
const connect = () =>
  openDatabase({ url: url, poolSize: 2, logger: pino({ level: 'silent' }), applicationName: 'test' });
beforeEach(() => database.pool.query('truncate crm_location'));

const row = (id: number, parentId: number | null): MirroredLocation => ({
  id,
  parentId,
  type: 'community',
  name: `Place ${id}`,
  title: `Place ${id}`,
  portalId: null,
  modifiedAt: new Date(0),
});

/** A row that no root leads to is a root; a row whose parent is missing is one, too. */
function pathOf(id: number, parents: ReadonlyMap<number, number | null>): number[] {
  const path = [id];
  for (let above = parents.get(id) ?? null; above !== null && parents.has(above); above = parents.get(above) ?? null) {
    if (path.includes(above)) return [id];
    path.unshift(above);
  }
  return path;
}

it('are those of the whole tree after any merge, with moved, missing and circular parents', async () => {
  const mirror = createCrmLocations(database);
  const parents = new Map<number, number | null>();
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let merge = 0; merge < 60; merge += 1) {
    const changed = new Set(Array.from({ length: 1 + random(3) }, () => 1 + random(25)));
    const rows = [...changed].map(id => row(id, random(8) === 0 ? null : 1 + random(25)));
    for (const { id, parentId } of rows) parents.set(id, parentId);
    await mirror.put(rows);
    const stored = (await mirror.all()).map(({ id, path }) => [id, path]);
    expect(Object.fromEntries(stored), `merge ${merge}`).toEqual(
      Object.fromEntries([...parents.keys()].map(id => [id, pathOf(id, parents)])),
    );
  }
});

it('cost a merge reads of the written rows and those below them, not of the whole tree', async () => {
  await database.execute(sql`
    insert into crm_location (id, parent_id, type, name, title, modified_at, path)
    select id, nullif(id / 10, 0), 'community', 'Place', 'Place', to_timestamp(0), id::text::ltree
    from generate_series(1, 20000) as id`);
  // The first merges write the paths of all rows.
  await createCrmLocations(database).mirror.merge(Array.from({ length: 9 }, (_, index) => row(index + 1, null)));
  await database.execute(sql`vacuum analyze crm_location`);
  // For up to a second, PostgreSQL also counts reads of the connection's earlier transactions.
  const other = connect();
  onTestFinished(() => other.close());
  const { mirror, get } = createCrmLocations(other);
  let read = Number.NaN;
  const added = Array.from({ length: 50 }, (_, index) => row(30_001 + index, 1_000 + index));
  await mirror.merge([...added, row(1_500, 151)], async db => {
    const { rows } = await db.execute(
      sql`select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'crm_location'`,
    );
    read = Number(rows[0]?.read);
  });
  expect(read).toBeGreaterThan(50);
  expect(read).toBeLessThan(2_000);
  expect((await get(30_050))?.path).toEqual([1, 10, 104, 1_049, 30_050]);
  expect((await get(15_009))?.path).toEqual([1, 15, 151, 1_500, 15_009]);
});

it('a name with commas is the title without that of the parent', async () => {
  const mirror = createCrmLocations(database);
  const named = (id: number, parentId: number | null, title: string) => ({
    ...row(id, parentId),
    title,
    name: title.split(',')[0] ?? '',
  });
  await mirror.put([
    named(1, null, 'Dubai'),
    named(2, 1, 'Dubai Marina, Dubai'),
    named(3, 2, 'Marina Gate 1, Phase 2, Dubai Marina, Dubai'),
    named(4, 3, 'Tower A, elsewhere'),
  ]);
  const names = ['Dubai', 'Dubai Marina', 'Marina Gate 1, Phase 2', 'Tower A'];
  expect((await mirror.all()).map(({ name }) => name)).toEqual(names);
  expect((await mirror.lineage(4)).map(({ name }) => name)).toEqual(names);
  expect((await mirror.descendants(2)).map(({ name }) => name)).toEqual(names.slice(2));
  expect(await mirror.get(3)).toMatchObject({ name: 'Marina Gate 1, Phase 2' });
});
