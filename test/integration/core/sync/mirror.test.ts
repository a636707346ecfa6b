/** However a read ends, the mirror has the old state or the new one, and the next run resumes. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCrmLocations, type MirroredLocation } from '../../../../core/domain/crm/locations.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { type MirrorContext, type MirrorSource, updateMirror } from '../../../../core/sync/mirror.ts';
import { createSyncStates } from '../../../../core/sync/states.ts';
import { useTestDatabase } from '../../../support/test-database.ts';

const { database } = await useTestDatabase('mirror', 5);
beforeEach(() => database.pool.query('truncate crm_location, sync_state, staged_row'));

const day = (date: number): Date => new Date(Date.UTC(2026, 0, date));
const place = (id: number, change: Partial<MirroredLocation> = {}): MirroredLocation => ({
  id,
  parentId: null,
  type: 'city',
  name: `City ${id}`,
  title: `City ${id}`,
  portalId: null,
  modifiedAt: day(1),
  ...change,
});
const places = (count: number): MirroredLocation[] => Array.from({ length: count }, (_, index) => place(index + 1));

type Options = Parameters<MirrorSource<MirroredLocation>['read']>[0];

/** Yields pages of two rows, and fails after `failAfter` rows. */
function sourceOf(
  rows: readonly MirroredLocation[],
  options: { failAfter?: number; error?: Error; bad?: number } = {},
) {
  const requests: Options[] = [];
  async function* read(given: Options) {
    requests.push(given);
    const { from = { after: 0, read: 0, total: rows.length }, changedSince } = given;
    const some = rows.filter(row => row.id > from.after && (!changedSince || row.modifiedAt >= changedSince));
    let read = from.read;
    for (let index = 0; index < some.length; index += 2) {
      if (options.failAfter !== undefined && read >= options.failAfter) throw options.error ?? new Error('interrupted');
      const page = some.slice(index, index + 2);
      read += page.length;
      yield {
        rows: page.filter(row => row.id !== options.bad),
        unreadable: page.filter(row => row.id === options.bad).map(row => ({ id: row.id, reason: 'bad' })),
        position: { after: page.at(-1)?.id ?? 0, read, total: from.total },
      };
    }
  }
  const source: MirrorSource<MirroredLocation> = {
    kind: 'places',
    title: 'The places',
    table: createCrmLocations(database).mirror,
    read,
  };
  return { source, requests };
}

/** A job whose checkpoint survives its runs. */
function newJob(released?: MirrorContext['released']): MirrorContext {
  let stored: unknown;
  return {
    jobId: `job-${randomUUID()}`,
    signal: new AbortController().signal,
    progress: () => {},
    checkpoint: {
      read: async () => stored,
      write: async value => {
        stored = JSON.parse(JSON.stringify(value));
      },
    },
    ...(released && { released }),
  };
}

const states = () => createSyncStates(database);
const run = (source: MirrorSource<MirroredLocation>, context = newJob(), full = false) =>
  updateMirror(source, states(), { full, context });
const stagedRuns = async () =>
  (await database.pool.query<{ run: string }>('select distinct run from staged_row')).rows.map(row => row.run);
const ids = async () => (await createCrmLocations(database).all()).map(({ id }) => id);

describe('a complete read', () => {
  it('leaves the old state when it is interrupted, and resumes at its cursor', async () => {
    await run(sourceOf(places(3)).source);
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4 }).source, job, true)).rejects.toThrow('interrupted');
    expect(await ids()).toEqual([1, 2, 3]);

    const second = sourceOf(places(9));
    expect(await run(second.source, job, true)).toMatchObject({ read: 9, changes: { created: 6, matched: 3 } });
    expect(second.requests[0]?.from).toEqual({ after: 4, read: 4, total: 9 });
    expect(await ids()).toHaveLength(9);
  });

  it('starts over after an incomplete read', async () => {
    await run(sourceOf(places(3)).source);
    const error = new UpstreamError('upstream-failed', 'It returned fewer rows than announced.', {
      kind: 'incomplete',
      system: 'crm',
      code: 'incomplete',
    });
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4, error }).source, job, true)).rejects.toThrow(error);
    expect(await ids()).toEqual([1, 2, 3]);
    const second = sourceOf(places(9));
    await run(second.source, job, true);
    expect(second.requests[0]?.from).toBeUndefined();
    expect(await ids()).toHaveLength(9);
  });

  it('starts over when its staged rows were dropped', async () => {
    await run(sourceOf(places(3)).source);
    const job = newJob();
    await expect(run(sourceOf(places(9), { failAfter: 4 }).source, job, true)).rejects.toThrow('interrupted');
    await database.pool.query('truncate staged_row');
    expect(await run(sourceOf(places(9)).source, job, true)).toMatchObject({ changes: { deleted: 0 } });
    expect(await ids()).toHaveLength(9);
  });

  it('changes nothing and leaves no staged rows when it is a dry run', async () => {
    await run(sourceOf(places(3)).source);
    const options = { full: true, dryRun: true, context: newJob() };
    expect(await updateMirror(sourceOf(places(9)).source, states(), options)).toMatchObject({
      changes: { created: 6, matched: 3 },
    });
    expect(await ids()).toEqual([1, 2, 3]);
    expect(await stagedRuns()).toEqual([]);
  });

  it('drops the staged rows of jobs that ended; keeps those of jobs that are held', async () => {
    for (const [id, state] of [
      ['ended', 'failed'],
      ['held', 'held'],
    ]) {
      await database.pool.query(
        `insert into job (id, kind, client_id, payload, attempts_max, state) values ($1, 'trial', 'one', '{}', 1, $2)`,
        [id, state],
      );
    }
    await database.pool.query(`insert into staged_row (run, id, row)
      values ('deleted', 1, 'null'), ('ended', 1, 'null'), ('held', 1, 'null')`);
    await run(sourceOf(places(3)).source);
    expect(await stagedRuns()).toEqual(['held']);
    await database.pool.query('delete from job');
  });

  it('is not applied again when the run that applied it was killed before it ended', async () => {
    const job = newJob();
    await run(sourceOf(places(9)).source, job);
    await database.pool.query('delete from crm_location where id = 9');
    expect(await run(sourceOf(places(9)).source, job)).toMatchObject({ heldBecause: [] });
    expect(await ids()).toHaveLength(8);
  });

  it('deletes vanished rows, but not unreadable ones or rows added since it started', async () => {
    await run(sourceOf(places(30)).source);
    await createCrmLocations(database).put([place(99, { modifiedAt: new Date(Date.now() + 60_000) })]);
    const fewer = places(30).filter(({ id }) => id !== 7);
    const done = await run(sourceOf(fewer, { bad: 8 }).source, newJob(), true);
    expect(done).toMatchObject({ changes: { deleted: 1 }, unreadable: [{ id: 8, reason: 'bad' }] });
    expect(await ids()).not.toContain(7);
    expect(await ids()).toEqual(expect.arrayContaining([8, 99]));
  });

  describe('of a job that another run has taken over', () => {
    /** `lose` lets the second run take the job over: the first one's checkpoint writes fail from then on. */
    function twoRuns() {
      const second = newJob();
      let isLost = false;
      const write: MirrorContext['checkpoint']['write'] = async (value, db) => {
        if (isLost) throw new Error('another run took the job over');
        await second.checkpoint.write(value, db);
      };
      const first = { ...second, checkpoint: { ...second.checkpoint, write } };
      return { first, second, lose: () => (isLost = true) };
    }

    it('changes nothing when it resumes before its last step', async () => {
      await run(sourceOf(places(3)).source);
      const { first, second, lose } = twoRuns();
      const { source } = sourceOf(places(9));
      const { table } = source;
      const delayed: typeof table.compare = async staged => {
        const changes = await table.compare(staged);
        lose();
        expect(await run(source, second, true)).toMatchObject({ changes: { created: 6, matched: 3 } });
        return changes;
      };
      await expect(run({ ...source, table: { ...table, compare: delayed } }, first, true)).rejects.toThrow();
      expect(await ids()).toHaveLength(9);
    });

    it.each([true, false])('does not overwrite newer rows with older ones (full: %s)', async full => {
      await run(sourceOf(places(4)).source);
      const { first, second, lose } = twoRuns();
      const newer = sourceOf(places(4).map(row => ({ ...row, name: 'Newer', modifiedAt: day(9) }))).source;
      const older = sourceOf(places(4).map(row => ({ ...row, name: 'Older', modifiedAt: day(8) }))).source;
      const delayed: typeof older.read = async function* (options) {
        for await (const page of older.read(options)) {
          lose();
          await run(newer, second, full);
          yield page;
        }
      };
      await expect(run({ ...older, read: delayed }, first, full)).rejects.toThrow('took the job over');
      const names = (await createCrmLocations(database).all()).map(({ name }) => name);
      expect(names).toEqual(['Newer', 'Newer', 'Newer', 'Newer']);
      expect((await database.pool.query('select from staged_row')).rowCount).toBe(0);
    });
  });

  it('is held when it would delete many rows, and applied when it is released', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const changed = [place(1, { title: 'Town 1' }), ...places(90).slice(1), place(200, { title: 'City of joy' })];
    const held = await run(sourceOf(changed, { bad: 2 }).source, job, true);
    expect(held.heldBecause).toEqual(['10 of 99 rows would be deleted.']);
    expect(held.changes).toEqual({ matched: 88, created: 1, updated: 1, deleted: 10 });
    expect(held.planned.map(({ outcome, items }) => [outcome, items.length, items[0]])).toEqual([
      ['deleted', 10, { key: '91', name: 'City 91' }],
      ['created', 1, { key: '200', name: 'City of joy' }],
      ['updated', 1, { key: '1', name: 'City 1' }],
    ]);
    expect(await ids()).toHaveLength(100);
    const released = { ...job, released: { plan: held.plan, by: 'operator', at: new Date() } };
    expect(await run(sourceOf([]).source, released)).toMatchObject({ changes: { deleted: 10 }, heldBecause: [] });
    expect(await ids()).toHaveLength(91);
  });

  it('is not applied again after a release when the run that applied it was killed before it ended', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf(places(90)).source, job, true);
    const released = { ...job, released: { plan: held.plan, by: 'operator', at: new Date() } };
    await run(sourceOf([]).source, released);
    expect(await run(sourceOf([]).source, released)).toMatchObject({ changes: { deleted: 10 }, heldBecause: [] });
    // Location sync clears the checkpoint before its next steps.
    await job.checkpoint.write(null);
    expect(await run(sourceOf([]).source, released)).toMatchObject({ heldBecause: [] });
    expect(await ids()).toHaveLength(90);
  });

  it('changes nothing and fails when it is released after its staged rows were dropped', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf(places(90)).source, job, true);
    // This happens when the released job fails and is retried after another job.
    await database.pool.query('truncate staged_row');
    const released = { ...job, released: { plan: held.plan, by: 'operator', at: new Date() } };
    await expect(run(sourceOf([]).source, released)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('are no longer stored; nothing was changed'),
    });
    expect(await ids()).toHaveLength(100);
  });

  it('is rejected when it is released after a newer read was applied', async () => {
    await run(sourceOf(places(100)).source);
    const job = newJob();
    const held = await run(sourceOf([]).source, job, true);
    expect(held.heldBecause).toContain('The places returned no rows.');
    await run(sourceOf(places(101)).source, newJob(), true);
    const released = { ...job, released: { plan: held.plan, by: 'operator', at: new Date() } };
    await expect(run(sourceOf([]).source, released)).rejects.toMatchObject({ code: 'conflict' });
    expect(await ids()).toHaveLength(101);
  });
});

describe('a read of changes', () => {
  it('starts ten minutes before the latest known change', async () => {
    await run(sourceOf([place(1), place(2, { modifiedAt: day(5) })]).source);
    const { source, requests } = sourceOf([place(1), place(2, { modifiedAt: day(6), name: 'New' })]);
    expect(await run(source)).toMatchObject({ full: false, read: 1, changes: { updated: 1, matched: 0 } });
    expect(requests[0]?.changedSince).toEqual(new Date(day(5).getTime() - 600_000));
    expect(await states().read('places')).toMatchObject({ changedSince: day(6), read: 2 });
  });

  it('moves a location below its new parent', async () => {
    const child = place(3, { parentId: 1 });
    await run(sourceOf([place(1), place(2), child]).source);
    await run(sourceOf([place(1), place(2), { ...child, parentId: 2, modifiedAt: day(6) }]).source);
    const { rows } = await database.pool.query<{ path: string }>('select path from crm_location where id = 3');
    expect(rows).toEqual([{ path: '2.3' }]);
  });

  it('repeats changes made during the last read, even if the vendor’s clock is ahead', async () => {
    const ahead = new Date(Date.now() + 3_600_000);
    const done = await run(sourceOf([place(1, { modifiedAt: ahead })]).source);
    expect(await states().read('places')).toMatchObject({ changedSince: done.asOf });
  });

  it('without rows changes only the time of the mirror', async () => {
    await run(sourceOf(places(3)).source);
    const before = await states().read('places');
    await run(sourceOf([]).source);
    expect(await ids()).toEqual([1, 2, 3]);
    const after = await states().read('places');
    expect(after?.changedSince).toEqual(before?.changedSince);
    expect(after?.asOf.getTime()).toBeGreaterThan(before?.asOf.getTime() ?? 0);
  });
});
