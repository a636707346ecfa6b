/** However a reading ends, the copy is the old state or the new one, and the next run knows where to go on. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CopiedLocation, createCrmLocations } from '../../../../core/domain/crm/locations.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { type Database, openDatabase } from '../../../../core/postgres/client.ts';
import { type AcquisitionContext, acquire, type Source } from '../../../../core/sync/mirror.ts';
import { createSyncStates } from '../../../../core/sync/states.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import type { TestDatabase } from '../../../support/test-postgres.ts';

const logger = pino({ level: 'silent' });
let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase('acquire');
  database = openDatabase({ url: testDatabase.url, poolSize: 5, logger, applicationName: 'test' });
});
beforeEach(async () => {
  await database.pool.query('truncate crm_location, sync_state, acquired_row');
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

const day = (date: number): Date => new Date(Date.UTC(2026, 0, date));
const place = (id: number, change: Partial<CopiedLocation> = {}): CopiedLocation => ({
  id,
  parentId: null,
  type: 'city',
  name: `City ${id}`,
  title: `City ${id}`,
  portalId: null,
  modifiedAt: day(1),
  ...change,
});
const places = (count: number): CopiedLocation[] =>
  Array.from({ length: count }, (_, index) => place(index + 1));

type Options = Parameters<Source<CopiedLocation>['read']>[0];

/** Gives its rows two by two, and fails where a test wants it to. */
function sourceOf(
  rows: readonly CopiedLocation[],
  options: { failAfter?: number; error?: Error; bad?: number } = {},
) {
  const asked: Options[] = [];
  async function* read(given: Options) {
    asked.push(given);
    const { from = { after: 0, read: 0, total: rows.length }, changedSince } = given;
    const some = rows.filter(row => row.id > from.after && (!changedSince || row.modifiedAt >= changedSince));
    let read = from.read;
    for (let index = 0; index < some.length; index += 2) {
      if (options.failAfter !== undefined && read >= options.failAfter)
        throw options.error ?? new Error('cut off');
      const page = some.slice(index, index + 2);
      read += page.length;
      yield {
        rows: page.filter(row => row.id !== options.bad),
        unreadable: page.filter(row => row.id === options.bad).map(row => ({ id: row.id, reason: 'bad' })),
        position: { after: page.at(-1)?.id ?? 0, read, total: from.total },
      };
    }
  }
  const source: Source<CopiedLocation> = {
    kind: 'places',
    title: 'The places',
    copy: createCrmLocations(database).copy,
    read,
  };
  return { source, asked };
}

/** A job that keeps its checkpoint from run to run. */
function newJob(released?: AcquisitionContext['released']): AcquisitionContext {
  let kept: unknown;
  return {
    jobId: `job-${randomUUID()}`,
    signal: new AbortController().signal,
    progress: () => {},
    checkpoint: {
      read: async () => kept,
      write: async value => {
        kept = JSON.parse(JSON.stringify(value));
      },
    },
    ...(released && { released }),
  };
}

const states = () => createSyncStates(database);
const run = (source: Source<CopiedLocation>, context = newJob(), full = false) =>
  acquire(source, states(), { full, context });
const ids = async () => (await createCrmLocations(database).all()).map(({ id }) => id);

describe('a complete reading', () => {
  it('that is cut off leaves the old state, and goes on where it was', async () => {
    await run(sourceOf(places(3)).source);
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4 }).source, job, true)).rejects.toThrow('cut off');
    expect(await ids()).toEqual([1, 2, 3]);

    const second = sourceOf(places(9));
    expect(await run(second.source, job, true)).toMatchObject({
      read: 9,
      changes: { created: 6, matched: 3 },
    });
    expect(second.asked[0]?.from).toEqual({ after: 4, read: 4, total: 9 });
    expect(await ids()).toHaveLength(9);
  });

  it('that cannot be whole is begun anew', async () => {
    await run(sourceOf(places(3)).source);
    const error = new UpstreamError('upstream-failed', 'It gave less than it promised.', {
      system: 'crm',
      passing: true,
      mayHaveRun: false,
      code: 'incomplete',
    });
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4, error }).source, job, true)).rejects.toThrow(error);
    expect(await ids()).toEqual([1, 2, 3]);
    const second = sourceOf(places(9));
    await run(second.source, job, true);
    expect(second.asked[0]?.from).toBeUndefined();
    expect(await ids()).toHaveLength(9);
  });

  it('whose rows were cleared away since is begun anew', async () => {
    await run(sourceOf(places(3)).source);
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4 }).source, job, true)).rejects.toThrow('cut off');
    await database.pool.query('truncate acquired_row');
    expect(await run(sourceOf(places(9)).source, job, true)).toMatchObject({ changes: { deleted: 0 } });
    expect(await ids()).toHaveLength(9);
  });

  it('that was carried out by a run which did not live to say so is not carried out again', async () => {
    const job = newJob();
    await run(sourceOf(places(9)).source, job);
    await database.pool.query('delete from crm_location where id = 9');
    expect(await run(sourceOf(places(9)).source, job)).toMatchObject({ heldBecause: [] });
    expect(await ids()).toHaveLength(8);
  });

  it('deletes what is gone, but not what could not be read, nor what was added meanwhile', async () => {
    await run(sourceOf(places(30)).source);
    await createCrmLocations(database).put([place(99, { modifiedAt: new Date(Date.now() + 60_000) })]);
    const fewer = places(30).filter(({ id }) => id !== 7);
    const done = await run(sourceOf(fewer, { bad: 8 }).source, newJob(), true);
    expect(done).toMatchObject({ changes: { deleted: 1 }, unreadable: [{ id: 8, reason: 'bad' }] });
    expect(await ids()).not.toContain(7);
    expect(await ids()).toEqual(expect.arrayContaining([8, 99]));
  });

  describe('of a job that another run took over', () => {
    /** Loses its job when told to: from then on the other run's word counts. */
    function twoRuns() {
      const second = newJob();
      let isLost = false;
      const write: AcquisitionContext['checkpoint']['write'] = async (value, db) => {
        if (isLost) throw new Error('another run took the job over');
        await second.checkpoint.write(value, db);
      };
      const first = { ...second, checkpoint: { ...second.checkpoint, write } };
      return { first, second, lose: () => (isLost = true) };
    }

    it('changes nothing when it wakes before its last step', async () => {
      await run(sourceOf(places(3)).source);
      const { first, second, lose } = twoRuns();
      const { source } = sourceOf(places(9));
      const { copy } = source;
      const stoodStill: typeof copy.compare = async gathered => {
        const changes = await copy.compare(gathered);
        lose();
        expect(await run(source, second, true)).toMatchObject({ changes: { created: 6, matched: 3 } });
        return changes;
      };
      await expect(run({ ...source, copy: { ...copy, compare: stoodStill } }, first, true)).rejects.toThrow();
      expect(await ids()).toHaveLength(9);
    });

    it.each([true, false])('puts no older rows over newer ones, reading all: %s', async full => {
      await run(sourceOf(places(4)).source);
      const { first, second, lose } = twoRuns();
      const newer = sourceOf(places(4).map(row => ({ ...row, name: 'Newer', modifiedAt: day(9) }))).source;
      const older = sourceOf(places(4).map(row => ({ ...row, name: 'Older', modifiedAt: day(8) }))).source;
      const stoodStill: typeof older.read = async function* (options) {
        for await (const page of older.read(options)) {
          lose();
          await run(newer, second, full);
          yield page;
        }
      };
      await expect(run({ ...older, read: stoodStill }, first, full)).rejects.toThrow('took the job over');
      const names = (await createCrmLocations(database).all()).map(({ name }) => name);
      expect(names).toEqual(['Newer', 'Newer', 'Newer', 'Newer']);
      expect((await database.pool.query('select from acquired_row')).rowCount).toBe(0);
    });
  });

  it('that would delete much is held, and carried out when it is released', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf(places(90)).source, job, true);
    expect(held.heldBecause).toEqual(['10 of 100 rows would be deleted.']);
    expect(await ids()).toHaveLength(100);
    const released = { ...job, released: { plan: held.plan, by: 'somebody', at: new Date() } };
    expect(await run(sourceOf([]).source, released)).toMatchObject({
      changes: { deleted: 10 },
      heldBecause: [],
    });
    expect(await ids()).toHaveLength(90);
  });

  it('that was released and carried out by a run which did not live to say so is not carried out again', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf(places(90)).source, job, true);
    const released = { ...job, released: { plan: held.plan, by: 'somebody', at: new Date() } };
    await run(sourceOf([]).source, released);
    expect(await run(sourceOf([]).source, released)).toMatchObject({
      changes: { deleted: 10 },
      heldBecause: [],
    });
    // As the sync does, whose later steps begin without it.
    await job.checkpoint.write(null);
    expect(await run(sourceOf([]).source, released)).toMatchObject({ heldBecause: [] });
    expect(await ids()).toHaveLength(90);
  });

  it('that was released after its rows were cleared away changes nothing, and says so', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf(places(90)).source, job, true);
    // As when the released job fails, and is run again after another one.
    await database.pool.query('truncate acquired_row');
    const released = { ...job, released: { plan: held.plan, by: 'somebody', at: new Date() } };
    await expect(run(sourceOf([]).source, released)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('not all there any more; nothing was changed'),
    });
    expect(await ids()).toHaveLength(100);
  });

  it('that was held is refused once a newer one was carried out', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf([]).source, job, true);
    expect(held.heldBecause).toContain('The places answered with nothing at all.');
    await run(sourceOf(places(101)).source, newJob(), true);
    const released = { ...job, released: { plan: held.plan, by: 'somebody', at: new Date() } };
    await expect(run(sourceOf([]).source, released)).rejects.toMatchObject({ code: 'conflict' });
    expect(await ids()).toHaveLength(101);
  });
});

describe('changes', () => {
  it('are asked for since the latest one known, and a little before it', async () => {
    await run(sourceOf([place(1), place(2, { modifiedAt: day(5) })]).source);
    const { source, asked } = sourceOf([place(1), place(2, { modifiedAt: day(6), name: 'New' })]);
    expect(await run(source)).toMatchObject({ full: false, read: 1, changes: { updated: 1, matched: 0 } });
    expect(asked[0]?.changedSince).toEqual(new Date(day(5).getTime() - 600_000));
    expect(await states().read('places')).toMatchObject({ changedSince: day(6), read: 2 });
  });

  it('that were made while we read are read again, whatever the system’s clock says', async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    const done = await run(sourceOf([place(1, { modifiedAt: ahead })]).source);
    expect(await states().read('places')).toMatchObject({ changedSince: done.asOf });
  });

  it('of a source that says nothing change nothing, and the copy is as of now', async () => {
    await run(sourceOf(places(3)).source);
    const before = await states().read('places');
    await run(sourceOf([]).source);
    expect(await ids()).toEqual([1, 2, 3]);
    const after = await states().read('places');
    expect(after?.changedSince).toEqual(before?.changedSince);
    expect(after?.asOf.getTime()).toBeGreaterThan(before?.asOf.getTime() ?? 0);
  });
});
