/** Synchronisation of user activity to notes on leads, over HTTP with the sandbox's log store and CRM. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JobResource } from '../../../../../core/jobs/resource.ts';
import { addDays, dubaiDayOf } from '../../../../../core/values/dubai-time.ts';
import activity from '../../../../../workers/activity/contract.ts';
import handler from '../../../../../workers/activity/handler.ts';
import { type ServiceProcess, stopProcesses } from '../../../../support/processes.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, useClient, useService } from '../../../../support/test-service.ts';
import { startWorkerProcess } from '../../../../support/worker-process.ts';

/** Without rate limits, in the sandbox and in the service. */
const pace = { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' };
const contracts = new Map([[activity.kind, activity]]);
const path = '/apps/portal/v1/user-activity/sync';

const sandbox = useSandbox();
const service = useService('user activity', () => ({ sandboxUrl: sandbox.url, contracts, env: pace }));
const client = useClient(service, ['portal:write']);
interface Run {
  report: z.output<typeof activity.result>;
  notes: Awaited<ReturnType<typeof notes>>;
}
/** A dry run, and the first run of the same days. */
let planned: Run;
let first: Run;

beforeAll(async () => {
  service.startWorker([{ contract: activity, handler: await handler.open({}, service) }]);
  await disableLimits();
  const { id } = await client.requestJob('GET', `${path}?from=2026-05-10&to=2026-05-12&dryRun=true`);
  planned = { report: activity.result.parse((await client.waitForJob(id)).result), notes: await notes() };
  first = { report: await run('2026-05-10', '2026-05-12'), notes: await notes() };
});
const disableLimits = () => sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
beforeEach(disableLimits);
afterEach(() => sandbox.control.reset('activity-log'));

const start = (from: string, to: string, by = client) => by.requestJob('GET', `${path}?from=${from}&to=${to}`);
async function run(from: string, to = from, by = client) {
  const { id } = await start(from, to, by);
  const job = await by.waitForJob(id);
  expect(job).toMatchObject({ state: 'succeeded' });
  return activity.result.parse(job.result);
}

const Rows = z.object({
  latest: z.array(z.object({ ENTITY_ID: z.union([z.string(), z.int()]).transform(Number), COMMENT: z.string() })),
});
async function notes() {
  const answer = await fetch(`${sandbox.url}/control/crm/data/comments?limit=1000`);
  return Rows.parse(await answer.json()).latest.map(row => ({ leadId: row.ENTITY_ID, text: row.COMMENT }));
}

/** Lead id and first line of each note; the line names the day and the part, so each must be unique. */
const noteKeys = (all: Awaited<ReturnType<typeof notes>>) =>
  all.map(({ leadId, text }) => `${leadId} ${text.split('\n')[0]}`);

describe('the activity of a range of days', () => {
  it('is planned with dryRun, and not written', () => {
    const { report } = planned;
    expect(report).toMatchObject({ dryRun: true, matched: 0, failed: 0 });
    expect(report.created).toBeGreaterThan(10);
    expect(planned.notes).toEqual([]);
  });

  it('is written as one note per lead and day', () => {
    const { report, notes: written } = first;
    expect(report).toMatchObject({ from: '2026-05-10', to: '2026-05-12', matched: 0, failed: 0 });
    expect(report.created).toBe(written.length);
    expect(written.length).toBeGreaterThan(10);
    expect(new Set(noteKeys(written)).size).toBe(written.length);
    for (const { text } of written)
      expect(text).toMatch(
        /^Portal activity on 1[012] May 2026\n\d+ actions? (between \d\d:\d\d and|at) \d\d:\d\d: [a-z ]+ \d+/,
      );
    const actionCounts = written.map(({ text }) => Number(/\n(\d+) action/.exec(text)?.[1]));
    expect(report.read).toBe(report.skipped + actionCounts.reduce((sum, count) => sum + count, 0));
  });

  it('is written once when the same days are synchronised again', async () => {
    const before = await notes();
    const again = await run('2026-05-10', '2026-05-12');
    expect(again).toMatchObject({ created: 0, failed: 0 });
    expect(again.read).toBe(again.matched + again.skipped);
    expect(await run('2026-05-12', '2026-05-12')).toMatchObject({ created: 0 });
    expect(await notes()).toEqual(before);
  });

  it('that is recorded late is written as a further note, without repeating entries', async () => {
    await sandbox.control.settings('activity-log', { withholdLate: true });
    const early = await run('2026-04-20', '2026-04-29');
    await sandbox.control.settings('activity-log', { withholdLate: false });
    const late = await run('2026-04-20', '2026-04-29');
    expect(late.created).toBeGreaterThan(0);
    expect(late.created).toBeLessThan(early.created / 2);
    expect(late.matched).toBe(early.read - early.skipped);
    const written = await notes();
    expect(new Set(noteKeys(written)).size).toBe(written.length);
    expect(written.some(({ text }) => text.includes('April 2026, recorded later (1)\n'))).toBe(true);
    expect(await run('2026-04-20', '2026-04-29')).toMatchObject({ created: 0 });
  });

  it('reports the number of skipped entries by reason, without names', async () => {
    const { rows } = await run('2026-05-10');
    expect(rows).toEqual([
      {
        key: '2026-05-10',
        outcome: 'skipped',
        reason: expect.stringMatching(/^\d+ entries of \d+ people without a lead, \d+ of staff, \d+ without/),
      },
    ]);
  });
});

describe('after a failure', () => {
  it('of some shards of the log store, the job retries and reads all entries', async () => {
    await sandbox.control.settings('activity-log', { failedShards: 2 });
    const { id } = await start('2026-05-20', '2026-05-20');
    // The next run begins up to a second after the pause, so that waiting jobs do not all return at once.
    const requests = async () => (await sandbox.control.requests('activity-log')).total;
    await expect.poll(requests).toBeGreaterThan(1);
    await sandbox.control.settings('activity-log', { failedShards: 0 });
    const job = await client.waitForJob(id);
    const report = activity.result.parse(job.result);
    expect(report.created).toBeGreaterThan(0);
    expect((await run('2026-05-20')).read).toBe(report.read);
  });

  it('of the CRM after it has written the note, no note is written twice', async () => {
    const before = (await notes()).length;
    await sandbox.control.fault('crm', { fault: 'drop-after-commit', path: 'crm.timeline.comment.add', times: 3 });
    const { created, failed } = await run('2026-05-21');
    expect(failed).toBe(0);
    const written = await notes();
    expect(written.length - before).toBe(created);
    expect(new Set(noteKeys(written)).size).toBe(written.length);
  });

  it('of the worker, another worker continues and writes no note twice', async () => {
    const other = await startTestService('user activity killed', { sandboxUrl: sandbox.url, contracts, env: pace });
    const processes: ServiceProcess[] = [];
    const startWorker = () => {
      const worker = startWorkerProcess(other, sandbox.url, [activity.kind], pace);
      processes.push(worker);
      return worker;
    };
    try {
      await sandbox.control.data('crm', 'comments', 'empty');
      const by = await other.client(['portal:write']);
      const { id } = await start('2026-05-01', '2026-05-12', by);
      const first = startWorker();
      await expect.poll(async () => (await notes()).length).toBeGreaterThan(20);
      first.kill('SIGKILL');
      await first.ended;
      startWorker();
      const job = await by.waitForJob(id);
      expect(job.state).toBe('succeeded');
      const report = activity.result.parse(job.result);
      const written = await notes();
      expect(report).toMatchObject({ failed: 0, matched: 0, created: written.length });
      expect(new Set(noteKeys(written)).size).toBe(written.length);
      const actionCounts = written.map(({ text }) => Number(/\n(\d+) action/.exec(text)?.[1]));
      expect(report.read).toBe(report.skipped + actionCounts.reduce((sum, count) => sum + count, 0));
    } finally {
      await stopProcesses(processes);
      await other.close();
      // The service of the other tests does not know these notes, and writes its own for the same days.
      await sandbox.control.data('crm', 'comments', 'empty');
    }
  });
});

describe('the requested days', () => {
  const today = dubaiDayOf(new Date());
  const tomorrow = addDays(today, 1);

  it.each([
    ['are not dates', 'from=yesterday&to=2026-13-01', ['/from', '/to']],
    ['end before they begin', 'from=2026-05-02&to=2026-05-01', ['/to']],
    ['are in the future', `from=${today}&to=${tomorrow}`, ['/to']],
    ['span more than 366 days', 'from=2025-01-01&to=2026-01-02', ['/to']],
    ['have no end', 'from=2026-05-01', ['/to']],
    ['have no beginning', 'to=2026-05-01', ['/from']],
  ])('are rejected with 422 when they %s', async (_, query, pointers) => {
    const reply = await client.request('GET', `${path}?${query}`);
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ errors: pointers.map(pointer => ({ pointer, in: 'query' })) });
  });

  it('default to the three days before today', async () => {
    const { id } = await client.requestJob('GET', path);
    const { result } = await client.waitForJob(id);
    const days = [-3, -1].map(offset => addDays(dubaiDayOf(new Date()), offset));
    expect(result).toMatchObject({ from: days[0], to: days[1], read: 0 });
  });

  it('start no job for a prefetch, and the response is not cacheable', async () => {
    const url = `${path}?from=2026-05-01&to=2026-05-01`;
    expect((await client.request('GET', url, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(403);
    const { headers, body } = await client.request('GET', url);
    expect(headers.get('cache-control')).toBe('no-store');
    await client.waitForJob(JobResource.parse(body).id);
  });
});
