/** Employees are brought together, deleted and put back: whole or not at all, and a fault of a system touches nobody. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EmployeeResource } from '../../../../api/operations/employees/employee-resource.ts';
import contract from '../../../../workers/employee-resync/contract.ts';
import handler from '../../../../workers/employee-resync/handler.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import {
  addDoc,
  changeDoc,
  changeUser,
  comparableDocs,
  employeeDocs,
} from '../../../support/employee-documents.ts';
import { takenOverJobContext } from '../../../support/job-context.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

// A job that meets a broken system is to end in time for a test.
const oneAttempt = { ...contract, attempts: 1, backoffMs: 10 };
const root = '/apps/employees/v1/employees';
const word = 'delete-all-employees';
/** Records; the directory has some users more. */
const size = 100;
const users = 130;
const List = z.object({
  items: z.array(EmployeeResource),
  asOf: z.string().nullable(),
  nextCursor: z.string().nullable(),
});
type Report = z.output<typeof contract.result>;

let sandbox: Sandbox;
let service: TestService;
let client: ApiClient;
let open: Awaited<ReturnType<typeof handler.open>>;
/** Whom the list has when nothing is wrong. */
let everybody: number;

beforeAll(async () => {
  sandbox = await startSandbox();
  await calm();
  service = await startTestService('employee-resync', {
    sandboxUrl: sandbox.url,
    contracts: new Map([[contract.kind, oneAttempt]]),
    env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
  });
  open = await handler.open({ EMPLOYEE_SNAPSHOT_DAYS: 90 }, service);
  service.startWorker([{ contract: oneAttempt, handler: open }]);
  client = await service.client(['employees:read', 'employees:write', 'employees:sync']);
});
afterAll(async () => {
  await service?.close();
  await sandbox?.close();
});

async function calm(): Promise<void> {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('employee-records', { employees: size });
  await sandbox.control.settings('directory', { users });
}

/** The directory as it was at first. */
async function mendDirectory(): Promise<void> {
  await sandbox.control.reset('directory');
  await calm();
}

const start = (method: string, path: string, body: object = {}) =>
  client.requestJob(method, root + path, { headers: { prefer: 'wait=60' }, body });

async function run(method: string, path: string, body: object = {}): Promise<Report> {
  const job = await start(method, path, body);
  expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
  return contract.result.parse(job.result);
}
const resync = (body: object = {}) => run('POST', '/sync', body);
const deleteAll = (body: object = {}) => run('DELETE', '', { confirm: word, ...body });

async function listed() {
  const items: z.infer<typeof EmployeeResource>[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await client.request('GET', `${root}?limit=200${cursor && `&cursor=${cursor}`}`);
    const page = List.parse(body);
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    cursor = page.nextCursor;
  }
}

/** The calls that a piece of work made to a system, without those before. */
async function callsDuring(system: string, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = (await sandbox.control.requests(system)).requests.length;
  await work();
  const { requests } = await sandbox.control.requests(system);
  const counts: Record<string, number> = {};
  for (const { method, path } of requests.slice(before)) {
    const call = `${method} ${path.replace(/HR-EMP-\d+/, '…')}`;
    counts[call] = (counts[call] ?? 0) + 1;
  }
  return counts;
}

describe('a resync', () => {
  it('foretold by a dry run changes nothing', async () => {
    const docs = await employeeDocs(sandbox);
    const report = await resync({ dryRun: true });
    everybody = report.listed;
    expect(everybody).toBeGreaterThanOrEqual(size);
    expect(report).toMatchObject({ dryRun: true, created: everybody, failed: 0 });
    expect(report.rows).toContainEqual({
      key: 'MP-1001',
      outcome: 'created',
      reason: 'In the local list; in the employee records: crmId, directoryId.',
    });
    expect(await employeeDocs(sandbox)).toEqual(docs);
    expect(await listed()).toEqual([]);
  });

  it('of a job that another run has taken over lists nobody', async () => {
    const work = open.handle({ mode: 'resync', dryRun: false }, takenOverJobContext());
    await expect(work).rejects.toThrow('another run took the job over');
    expect(await listed()).toEqual([]);
    await sandbox.control.reset('employee-records');
    await calm();
  });

  it('lists everybody and tells the records what others own, conflicts in the report', async () => {
    const report = await resync();
    expect(report).toMatchObject({ dryRun: false, created: everybody, failed: 0, listed: everybody });
    const employees = await listed();
    expect(employees).toHaveLength(everybody);
    const docs = new Map((await employeeDocs(sandbox)).map(doc => [doc.employee_number, doc]));
    const conflicts = report.rows.filter(({ reason }) =>
      reason.startsWith('department: the word of the identity'),
    );
    expect(conflicts.length).toBeGreaterThan(2);
    for (const { key } of conflicts) {
      const employee = employees.find(({ number }) => number === key);
      expect(docs.get(key)?.department).toBe(`${employee?.department} - MP`);
    }
    const linked = employees.filter(({ crmId, directoryId }) => crmId !== null && directoryId !== null);
    expect(linked.length).toBeGreaterThan(80);
    expect(docs.get('MP-1002')).toMatchObject({
      custom_crm_id: '2',
      custom_directory_id: expect.stringMatching(/^5f/),
    });
  });

  it('that comes again changes nothing, with the fewest calls that the paging allows', async () => {
    let report: Report | undefined;
    const records = await callsDuring('employee-records', async () => {
      report = await resync();
    });
    expect(report).toMatchObject({
      matched: everybody,
      created: 0,
      updated: 0,
      deleted: 0,
      failed: 0,
      calls: 5,
    });
    expect(records).toEqual({
      'GET /api/resource/Employee': 1,
      'GET /api/method/frappe.client.get_count': 1,
    });
    expect(await callsDuring('directory', resync)).toEqual({ 'GET /systemusers': 2 });
    expect(await callsDuring('crm', resync)).toEqual({ 'POST /rest/1/sandbox/batch': 1 });
  });

  it('lets the owner win over a field that was changed in two systems', async () => {
    const [employee] = (await listed()).filter(
      ({ department, directoryId, employeeNumber, hasRecord }) =>
        hasRecord && employeeNumber && directoryId && department === 'Secondary Sales',
    );
    const doc = (await employeeDocs(sandbox)).find(
      ({ employee_number: number }) => number === employee?.number,
    );
    await changeDoc(sandbox, 'PUT', String(doc?.name), { department: 'Finance - MP' });
    await changeUser(sandbox, employee?.directoryId ?? '', { department: 'Marketing' });
    const report = await resync();
    expect(report).toMatchObject({ updated: 1, matched: everybody - 1 });
    expect(report.rows).toContainEqual({
      key: employee?.number,
      outcome: 'conflict',
      reason:
        'department: the word of the identity directory (Marketing) counts, not that of the employee records (Finance).',
    });
    const { body } = await client.request('GET', `${root}/${employee?.number}`);
    expect(body).toMatchObject({ department: 'Marketing' });
  });

  it('goes on with the others when the records refuse something about one', async () => {
    const [one] = (await listed()).filter(({ hasRecord, directoryId }) => hasRecord && directoryId);
    await changeUser(sandbox, one?.directoryId ?? '', { email: 'no e-mail' });
    const report = await resync();
    expect(report).toMatchObject({ failed: 1, updated: 0, listed: everybody });
    expect(report.rows).toContainEqual({
      key: one?.number,
      outcome: 'failed',
      reason: 'The employee records rejected this. /email',
    });
    expect((await listed()).find(({ number }) => number === one?.number)).toEqual(one);
    await changeUser(sandbox, one?.directoryId ?? '', { email: one?.email });
  });
});

describe('a fault of a system', () => {
  it.each(['empty', 'halve'] as const)(
    'that makes the directory %s holds the run, and nobody is touched',
    async change => {
      await sandbox.control.data('directory', 'users', change);
      const [docs, employees] = [await employeeDocs(sandbox), await listed()];
      const job = await start('POST', '/sync');
      expect(job).toMatchObject({ state: 'held', result: { failed: 0, heldBecause: expect.any(Array) } });
      expect(await employeeDocs(sandbox)).toEqual(docs);
      expect(await listed()).toEqual(employees);
      if (change === 'halve') {
        expect(await client.request('POST', `/jobs/${job.id}/release`)).toMatchObject({ status: 202 });
        expect(await client.waitForJob(job.id)).toMatchObject({ state: 'succeeded' });
        expect(await listed()).not.toEqual(employees);
      }
      await mendDirectory();
    },
  );

  it('that refuses our credentials fails the run, and the list stays', async () => {
    await resync();
    const employees = await listed();
    await sandbox.control.fault('directory', { fault: 'unauthorized', times: 50 });
    expect(await start('POST', '/sync')).toMatchObject({ state: 'failed', error: { status: 502 } });
    expect(await listed()).toEqual(employees);
    await mendDirectory();
  });

  it('before all are deleted holds that, and nothing is deleted', async () => {
    await sandbox.control.data('directory', 'users', 'empty');
    const docs = await employeeDocs(sandbox);
    expect(await start('DELETE', '', { confirm: word })).toMatchObject({ state: 'held' });
    expect(await employeeDocs(sandbox)).toEqual(docs);
    await mendDirectory();
  });
});

describe('to delete all employees', () => {
  it.each([
    ['no word', '', {}, '/confirm'],
    ['another word', '', { confirm: 'yes' }, '/confirm'],
    ['two words that differ', `?confirm=${word}`, { confirm: 'yes' }, '/confirm'],
  ])('is refused with %s, and the right one is told', async (_, query, body, pointer) => {
    const reply = await client.request('DELETE', root + query, { body });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ errors: [{ pointer, detail: `must be ${word}` }] });
    expect((await client.request('DELETE', root)).status).toBe(422);
  });

  it('needs more than the right to change employees', async () => {
    const other = await service.client(['employees:write']);
    expect((await other.request('DELETE', root, { body: { confirm: word } })).status).toBe(403);
  });

  it('foretold by a dry run deletes nothing; nothing was ever deleted that could be put back', async () => {
    expect(await deleteAll({ dryRun: true })).toMatchObject({ deleted: size, snapshotId: null });
    expect(await employeeDocs(sandbox)).toHaveLength(size);
    expect((await client.request('POST', `${root}/restore`)).status).toBe(409);
    expect((await client.request('GET', `${root}/snapshots`)).body).toMatchObject({ items: [] });
  });
});

describe('employees that are all deleted', () => {
  let docs: Awaited<ReturnType<typeof employeeDocs>>;
  let employees: Awaited<ReturnType<typeof listed>>;
  let seen: Set<string>;

  beforeAll(async () => {
    await resync();
    [docs, employees] = [await employeeDocs(sandbox), await listed()];
    seen = new Set();
  });

  it('go leaf first, and readers see the old list or the new one, never none', async () => {
    const before = (await sandbox.control.requests('employee-records')).requests.length;
    const { id } = await client.requestJob('DELETE', `${root}?confirm=${word}`);
    do seen.add(JSON.stringify((await listedAtOnce()).items));
    while (!['succeeded', 'failed'].includes((await client.job(id)).state));
    const report = contract.result.parse((await client.job(id)).result);
    expect(report).toMatchObject({ mode: 'delete-all', deleted: size, failed: 0 });

    expect(await employeeDocs(sandbox)).toEqual([]);
    seen.add(JSON.stringify((await listedAtOnce()).items));
    expect(seen.size).toBe(2);
    expect(report.listed).toBeGreaterThan(80);
    expect((await listed()).every(({ hasRecord }) => !hasRecord)).toBe(true);

    const { requests } = await sandbox.control.requests('employee-records');
    const deleted = requests
      .slice(before)
      .filter(({ method }) => method === 'DELETE')
      .map(({ path }) => path.split('/').at(-1));
    expect(new Set(deleted).size).toBe(size);
    const superiorOf = new Map(docs.map(({ name, reports_to: superior }) => [name, superior]));
    const early = deleted.filter((name, place) => {
      const superior = superiorOf.get(name ?? null);
      return superior !== null && deleted.indexOf(String(superior)) < place;
    });
    expect(early).toEqual([]);
  });

  it('leave resyncs at rest, which find no records and expect none', async () => {
    expect(await resync()).toMatchObject({ created: 0, updated: 0, deleted: 0 });
  });

  it('are put back from the snapshot as they were: every field, every line of report, and each once', async () => {
    const reply = await client.request('GET', `${root}/snapshots`);
    expect(reply.body).toMatchObject({ items: [{ employees: size }] });
    await sandbox.control.fault('employee-records', { fault: 'drop-after-commit', method: 'POST', times: 3 });
    expect(await run('POST', '/restore')).toMatchObject({ created: size, failed: 0, listed: everybody });
    expect(comparableDocs(await employeeDocs(sandbox))).toEqual(comparableDocs(docs));
    const withNumber = ({ employeeNumber }: (typeof employees)[number]) => employeeNumber !== null;
    const anew = new Map((await listed()).map(employee => [employee.number, employee]));
    for (const employee of employees.filter(withNumber)) expect(anew.get(employee.number)).toEqual(employee);
    expect(await resync()).toMatchObject({ matched: everybody, created: 0, updated: 0, deleted: 0 });
  });

  it('are put back where they are missing or changed; others are left alone', async () => {
    const now = await employeeDocs(sandbox);
    const superiors = new Set(now.map(({ reports_to: superior }) => superior));
    const [leaf, changed] = now.filter(({ name }) => !superiors.has(name));
    await changeDoc(sandbox, 'DELETE', String(leaf?.name));
    await changeDoc(sandbox, 'PUT', String(changed?.name), {
      designation: 'Photographer',
      branch: 'Abu Dhabi',
    });
    await addDoc(sandbox, { ...leaf, first_name: 'Nobody', employee_number: 'MP-9999' });
    const report = await run('POST', '/restore', { dryRun: true });
    expect(report).toMatchObject({ created: 1 });
    expect(await run('POST', '/restore')).toMatchObject({ created: 1, failed: 0 });
    const after = await employeeDocs(sandbox);
    expect(after).toHaveLength(size + 1);
    expect(comparableDocs(after.filter(doc => doc.employee_number !== 'MP-9999'))).toEqual(
      comparableDocs(docs),
    );
  });

  it('cannot be put back from a snapshot that is not there', async () => {
    const snapshotId = '01900000-0000-7000-8000-000000000000';
    const reply = await client.request('POST', `${root}/restore`, { body: { snapshotId } });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/snapshotId' }] } });
  });

  async function listedAtOnce() {
    const page = List.parse((await client.request('GET', `${root}?limit=200`)).body);
    expect(page.items.length).toBeGreaterThan(80);
    return page;
  }
});
