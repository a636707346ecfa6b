/** User-state jobs and credentials of the directory. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Directory } from '../../../../../core/integrations/directory/system.ts';
import directorySystem from '../../../../../core/integrations/directory/system.ts';
import { once, openClient, type Reply, useVendor, vendorContext } from '../../../../support/vendor.ts';

const list = 'GET /v2/bulk/userstates';
const create = 'POST /v2/bulk/userstates';
const startDate = new Date('2026-01-31T08:00:00Z');

const vendor = await useVendor();
let directory: Directory;

beforeEach(() => {
  directory = openClient(directorySystem, { DIRECTORY_URL: vendor.url, DIRECTORY_API_KEY: 'key' });
});

interface JobRow {
  scheduledJobId: string;
  scheduledDate: string;
  state: string;
  systemUserId: string;
}

const job = (id: string, userId: string, change: Partial<JobRow> = {}): JobRow => ({
  scheduledJobId: id,
  scheduledDate: startDate.toISOString(),
  state: 'SUSPENDED',
  systemUserId: userId,
  ...change,
});
/** A list of one page. */
const listed = (...jobs: JobRow[]) => vendor.on(list, ({ query }) => ({ json: query.skip === '0' ? jobs : [] }));
const usersExist = (...ids: string[]) => {
  for (const id of ids) vendor.on(`GET /systemusers/${id}`, { json: { _id: id } });
};
const schedule = (...userIds: string[]) =>
  once(() => directory.scheduleState({ userIds, state: 'SUSPENDED', startDate }));
const created = () => vendor.received.filter(({ call }) => call === create);

describe('user-state jobs', () => {
  it('are listed, all or those of a user', async () => {
    listed(job('1', 'u'));
    expect(await once(() => directory.stateJobs())).toEqual([{ id: '1', userId: 'u', state: 'SUSPENDED', startDate }]);
    await once(() => directory.stateJobs({ userId: 'u' }));
    expect(vendor.received.map(({ query }) => query.userid)).toEqual([undefined, undefined, 'u', 'u']);
  });

  it('of a range are sorted by their start, then by their id', async () => {
    const at = (scheduledDate: string) => ({ scheduledDate });
    listed(
      job('3', 'u', at('2026-02-02T00:00:00Z')),
      job('2', 'u', at('2026-02-01T00:00:00Z')),
      job('1', 'u', at('2026-02-01T00:00:00Z')),
      job('4', 'u', at('2026-01-01T00:00:00Z')),
    );
    const page = await once(() => directory.stateJobsPage({ offset: 0, limit: 3 }, 'u'));
    expect([page.items.map(({ id }) => id), page.total]).toEqual([['4', '1', '2'], 4]);
    expect(vendor.received[0]?.query.userid).toBe('u');
  });

  it('are deleted; false when there was none', async () => {
    vendor.on('DELETE /v2/bulk/userstates/1', { status: 204 }, { status: 404 });
    expect(await once(() => directory.deleteStateJob('1'))).toBe(true);
    expect(await once(() => directory.deleteStateJob('1'))).toBe(false);
  });
});

describe('scheduling a state', () => {
  it('creates one job for each user, in the order of the ids', async () => {
    usersExist('u', 'v');
    listed();
    vendor.on(create, { json: [job('2', 'v'), job('1', 'u')] });
    expect((await schedule('u', 'v')).map(({ id }) => id)).toEqual(['1', '2']);
    expect(created().map(({ body }) => body)).toEqual([
      { user_ids: ['u', 'v'], state: 'SUSPENDED', start_date: startDate.toISOString() },
    ]);
  });

  it('looks up the jobs of the user when there is one, else all', async () => {
    usersExist('u', 'v');
    listed(job('1', 'u'), job('2', 'v'));
    await schedule('u');
    await schedule('u', 'v');
    expect(vendor.received.flatMap(({ call, query }) => (call === list ? [query.userid] : []))).toEqual([
      'u',
      'u',
      undefined,
      undefined,
    ]);
  });

  it('uses equal jobs that exist, and creates only the others', async () => {
    usersExist('u', 'v', 'w');
    listed(
      job('1', 'u'),
      job('8', 'v', { state: 'ACTIVATED' }),
      job('9', 'w', { scheduledDate: '2026-03-01T00:00:00Z' }),
    );
    vendor.on(create, { json: [job('2', 'v'), job('3', 'w')] });
    expect((await schedule('u', 'v', 'w')).map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(created().map(({ body }) => Object(body).user_ids)).toEqual([['v', 'w']]);
  });

  it('creates nothing when all jobs exist', async () => {
    usersExist('u');
    listed(job('1', 'u'));
    expect((await schedule('u')).map(({ id }) => id)).toEqual(['1']);
    expect(created()).toEqual([]);
  });

  it('is rejected with the places of all unknown users', async () => {
    usersExist('v');
    for (const id of ['u', 'w']) vendor.on(`GET /systemusers/${id}`, { status: 404 });
    const detail = 'is not a user of the identity directory';
    await expect(schedule('u', 'v', 'w')).rejects.toMatchObject({
      code: 'invalid-input',
      faults: [
        { pointer: '/userIds/0', detail },
        { pointer: '/userIds/2', detail },
      ],
    });
    expect(vendor.calls()).not.toContain(list);
  });

  describe('whose answer was lost', () => {
    const lostAfter = (...jobs: JobRow[]): Reply => {
      listed(...jobs);
      return { status: 502 };
    };
    beforeEach(() => {
      usersExist('u', 'v');
      listed();
    });

    it('returns the jobs that exist now', async () => {
      vendor.on(create, () => lostAfter(job('1', 'u'), job('2', 'v')));
      expect((await schedule('u', 'v')).map(({ id }) => id)).toEqual(['1', '2']);
      expect(created()).toHaveLength(1);
    });

    it('fails when some of them are missing', async () => {
      vendor.on(create, () => lostAfter(job('1', 'u')));
      await expect(schedule('u', 'v')).rejects.toMatchObject({ maybeExecuted: true, failure: { status: 502 } });
    });
  });

  it('fails without a lookup when the directory rejected it', async () => {
    usersExist('u');
    listed();
    vendor.on(create, { status: 400 });
    await expect(schedule('u')).rejects.toMatchObject({ failure: { status: 400 } });
    expect(vendor.calls().filter(call => call === list)).toHaveLength(1);
  });
});

describe('credentials', () => {
  const usersOf = 'GET /systemusers';
  const noUsers = { json: { totalCount: 0, results: [] } };

  it('are the API key, and the organisation where one is set', async () => {
    vendor.on(usersOf, noUsers);
    const ofOrganization = openClient(directorySystem, { DIRECTORY_URL: vendor.url, DIRECTORY_ORGANIZATION_ID: 'org' });
    await once(() => directory.users());
    await once(() => ofOrganization.users());
    expect(vendor.received.map(({ headers }) => [headers['x-api-key'], headers['x-org-id']])).toEqual([
      ['key', undefined],
      ['', 'org'],
    ]);
  });

  it('are checked by the probe with a page of one user', async () => {
    vendor.on(usersOf, noUsers);
    await once(() => directorySystem.probe(vendorContext({ DIRECTORY_URL: vendor.url })));
    expect(vendor.received.map(({ query }) => query)).toEqual([{ sort: '_id', limit: '1', skip: '0' }]);
  });

  it('of the sandbox are used when it serves the system', async () => {
    vendor.on('GET /directory/systemusers', noUsers);
    const served = openClient(directorySystem, {}, { sandboxUrl: vendor.url });
    expect(await once(() => served.users())).toEqual([]);
    expect(vendor.received[0]?.headers['x-api-key']).toBe('sandbox');
  });
});
