/** Employees are merged, deleted and restored: completely or not at all. A fault of a system changes nothing. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EmployeeResource } from '../../../../api/operations/employees/employee-resource.ts';
import contract from '../../../../workers/employee-resync/contract.ts';
import handler from '../../../../workers/employee-resync/handler.ts';
import { addDoc, changeDoc, changeUser, comparableDocs, employeeDocs } from '../../../support/employee-documents.ts';
import { readPlan } from '../../../support/held-plan.ts';
import { takenOverJobContext } from '../../../support/job-context.ts';
import { useSandbox } from '../../../support/sandbox.ts';
import { useClient, useService } from '../../../support/test-service.ts';

// One attempt, so that a job with a broken system ends in time for a test.
const oneAttempt = { ...contract, attempts: 1, backoffMs: 10 };
const root = '/apps/employees/v1/employees';
const word = 'delete-all-employees';
/** Number of records; the directory has more users. */
const size = 100;
const users = 130;
const List = z.object({
  items: z.array(EmployeeResource),
  asOf: z.string().nullable(),
  nextCursor: z.string().nullable(),
});
type Report = z.output<typeof contract.result>;

const sandbox = useSandbox();
const service = useService('employee-resync', () => ({
  sandboxUrl: sandbox.url,
  contracts: new Map([[contract.kind, oneAttempt]]),
  env: { CRM_REQUESTS_PER_SECOND: '100', CRM_REQUEST_BURST: '10000' },
}));
const client = useClient(service, ['employees:read', 'employees:write', 'employees:sync']);
let open: Awaited<ReturnType<typeof handler.open>>;
/** Number of listed employees without faults. */
let total: number;
let history: Awaited<ReturnType<typeof firstRuns>>;

beforeAll(async () => {
  await applySettings();
  open = await handler.open({ EMPLOYEE_SNAPSHOT_DAYS: 90, EMPLOYEE_STATUS_CHANGE_LIMIT: 5 }, service);
  service.startWorker([{ contract: oneAttempt, handler: open }]);
  history = await firstRuns();
  total = history.dryRun.listed;
});

async function applySettings(): Promise<void> {
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  await sandbox.control.settings('employee-records', { employees: size });
  await sandbox.control.settings('directory', { users });
}

/** Resets the directory's data and settings. */
async function resetDirectory(): Promise<void> {
  await sandbox.control.reset('directory');
  await applySettings();
}

const plannedChanges = async (id: string) => (await readPlan(service.records, id))?.changes ?? [];
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

/** The first runs of a new installation, with the records and the list after each. */
async function firstRuns() {
  const docsBefore = await employeeDocs(sandbox);
  const dryRun = await resync({ dryRun: true });
  const planned = { docs: await employeeDocs(sandbox), listed: await listed() };

  const first = await open.handle({ mode: 'resync', dryRun: false }, takenOverJobContext());
  const plan = 'held' in first ? first.held.plan : undefined;
  const released = { plan, by: 'duty', at: new Date() };
  const takenOver = {
    error: await open.handle({ mode: 'resync', dryRun: false }, { ...takenOverJobContext(), released }).catch(String),
    listed: await listed(),
  };
  await sandbox.control.reset('employee-records');
  await applySettings();

  const held = await start('POST', '/sync');
  const whileHeld = await listed();
  await client.request('POST', `/jobs/${held.id}/release`);
  const done = contract.result.parse((await client.waitForJob(held.id)).result);
  const completed = { report: done, docs: await employeeDocs(sandbox), listed: await listed() };

  const deletion = { report: await deleteAll({ dryRun: true }), docs: await employeeDocs(sandbox) };
  const restore = (await client.request('POST', `${root}/restore`)).status;
  const snapshots = (await client.request('GET', `${root}/snapshots`)).body;
  return { docsBefore, dryRun, planned, takenOver, held, whileHeld, completed, deletion, restore, snapshots };
}

/** Counts the calls of a system during `work`. */
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
  beforeEach(async () => void (await resync()));

  it('reports the plan of a dry run and changes nothing', () => {
    const { docsBefore, dryRun, planned } = history;
    expect(total).toBeGreaterThanOrEqual(size);
    expect(dryRun).toMatchObject({ dryRun: true, created: total, failed: 0 });
    expect(dryRun.rows).toContainEqual({
      key: 'MP-1001',
      outcome: 'created',
      reason: 'In the local list; in the employee records: crmId, directoryId.',
    });
    expect(planned).toEqual({ docs: docsBefore, listed: [] });
  });

  it('leaves the list empty if another run has taken the job over', () =>
    expect(history.takenOver).toEqual({ error: expect.stringContaining('another run took the job over'), listed: [] }));

  it('is held the first time, with the writes to the records system by kind, as in the dry run', () => {
    const { dryRun, held, whileHeld } = history;
    expect(held).toMatchObject({ state: 'held', error: null });
    const { targets, heldBecause, updated } = contract.result.parse(held.result);
    expect(targets).toEqual(dryRun.targets);
    expect(updated).toBe(0);
    const { employeeRecords } = targets ?? {};
    expect(employeeRecords?.updated).toBeGreaterThan(50);
    expect(employeeRecords?.rows).toHaveLength(employeeRecords?.updated ?? 0);
    expect(heldBecause?.[0]).toBe(
      `This is the first resync: it would update ${employeeRecords?.updated} employee records, of which ${employeeRecords?.suspended} would be suspended, ${employeeRecords?.reactivated} reactivated.`,
    );
    expect(whileHeld).toEqual([]);
  });

  it('lists all employees, updates the records with other systems’ fields, and reports conflicts', () => {
    const { report, listed: employees } = history.completed;
    expect(report.targets).toEqual(contract.result.parse(history.held.result).targets);
    expect(report).toMatchObject({ dryRun: false, created: total, failed: 0, listed: total });
    expect(employees).toHaveLength(total);
    const docs = new Map(history.completed.docs.map(doc => [doc.employee_number, doc]));
    const conflicts = report.rows.filter(({ reason }) => reason.startsWith('department: the identity directory'));
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

  it('changes nothing when it is repeated, with the minimum number of calls that paging allows', async () => {
    let report: Report | undefined;
    const records = await callsDuring('employee-records', async () => {
      report = await resync();
    });
    expect(report).toMatchObject({ matched: total, created: 0, updated: 0, deleted: 0, failed: 0, calls: 5 });
    expect(records).toEqual({ 'GET /api/resource/Employee': 1, 'GET /api/method/frappe.client.get_count': 1 });
    expect(await callsDuring('directory', resync)).toEqual({ 'GET /systemusers': 2 });
    expect(await callsDuring('crm', resync)).toEqual({ 'POST /rest/1/sandbox/batch': 1 });
  });

  it('takes the owner’s value of a field changed in two systems', async () => {
    const [employee] = (await listed()).filter(
      ({ department, directoryId, employeeNumber, hasRecord }) =>
        hasRecord && employeeNumber && directoryId && department === 'Secondary Sales',
    );
    const doc = (await employeeDocs(sandbox)).find(({ employee_number: number }) => number === employee?.number);
    await changeDoc(sandbox, 'PUT', String(doc?.name), { department: 'Finance - MP' });
    await changeUser(sandbox, employee?.directoryId ?? '', { department: 'Marketing' });
    const report = await resync();
    expect(report).toMatchObject({ updated: 1, matched: total - 1 });
    expect(report.rows).toContainEqual({
      key: employee?.number,
      outcome: 'conflict',
      reason: 'department: the identity directory (Marketing) takes precedence over the employee records (Finance).',
    });
    const { body } = await client.request('GET', `${root}/${employee?.number}`);
    expect(body).toMatchObject({ department: 'Marketing' });
  });

  it('continues when the records reject the update of one employee', async () => {
    const [one] = (await listed()).filter(({ hasRecord, directoryId }) => hasRecord && directoryId);
    await changeUser(sandbox, one?.directoryId ?? '', { email: 'no e-mail' });
    const report = await resync();
    expect(report).toMatchObject({ failed: 1, updated: 0, listed: total });
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
  beforeEach(async () => void (await resync()));

  it.each(['empty', 'halve'] as const)(
    'holds the run and changes nothing if the directory is changed to: %s',
    async change => {
      await sandbox.control.data('directory', 'users', change);
      const [docs, employees] = [await employeeDocs(sandbox), await listed()];
      const withoutRecord = employees.findLast(({ hasRecord }) => !hasRecord);
      const job = await start('POST', '/sync');
      expect(job).toMatchObject({ state: 'held', result: { failed: 0, heldBecause: expect.any(Array) } });
      expect(await employeeDocs(sandbox)).toEqual(docs);
      expect(await listed()).toEqual(employees);
      const planned = await plannedChanges(job.id);
      expect(planned.flatMap(({ items }) => items).every(({ key, name }) => key !== '' && name !== '')).toBe(true);
      const gone = planned.find(({ outcome }) => outcome === 'deleted');
      expect(gone?.reason).toBe('Neither the employee records nor the identity directory have the employee any more.');
      expect(gone?.items.map(({ key }) => key)).toContain(withoutRecord?.number);
      if (change === 'halve') {
        expect(await client.request('POST', `/jobs/${job.id}/release`)).toMatchObject({ status: 202 });
        expect(await client.waitForJob(job.id)).toMatchObject({ state: 'succeeded' });
        expect(await listed()).not.toEqual(employees);
      }
      await resetDirectory();
    },
  );

  it('fails the run and keeps the list if a system rejects our credentials', async () => {
    const employees = await listed();
    await sandbox.control.fault('directory', { fault: 'unauthorized', times: 50 });
    expect(await start('POST', '/sync')).toMatchObject({ state: 'failed', error: { status: 502 } });
    expect(await listed()).toEqual(employees);
    await resetDirectory();
  });

  it('loses no employee if a directory user is deleted while the users are read', async () => {
    const missing = ({ rows }: Report) => rows.filter(({ reason }) => reason.includes('does not have this'));
    const before = await resync();
    await sandbox.control.settings('directory', { deletedRows: 1 });
    const report = await resync();
    expect((await sandbox.control.rows('directory', 'users')).count).toBe(users - 1);
    expect(missing(report)).toEqual(missing(before));
    expect(report).toMatchObject({ matched: total, updated: 0, deleted: 0 });

    const employees = await listed();
    await sandbox.control.settings('directory', { deletedRows: 1_000 });
    expect(await start('POST', '/sync')).toMatchObject({
      state: 'failed',
      error: { status: 502, detail: expect.stringContaining('incomplete list of users') },
    });
    expect(await listed()).toEqual(employees);
    await resetDirectory();
  });

  it('holds the deletion of all records, and deletes none', async () => {
    await sandbox.control.data('directory', 'users', 'empty');
    const docs = await employeeDocs(sandbox);
    const job = await start('DELETE', '', { confirm: word });
    expect(job).toMatchObject({ state: 'held' });
    const planned = await plannedChanges(job.id);
    expect(planned).toMatchObject([{ outcome: 'deleted', reason: 'From the employee records.' }]);
    expect(planned[0]?.items.map(({ name }) => name).sort()).toEqual(
      docs.map(({ first_name, last_name }) => `${first_name} ${last_name}`).sort(),
    );
    expect(await employeeDocs(sandbox)).toEqual(docs);
    await resetDirectory();
  });
});

describe('the deletion of all employees', () => {
  it.each([
    ['no confirmation', '', {}, '/confirm'],
    ['another confirmation', '', { confirm: 'yes' }, '/confirm'],
    ['two different confirmations', `?confirm=${word}`, { confirm: 'yes' }, '/confirm'],
  ])('is rejected with %s, with the required one in the error', async (_, query, body, pointer) => {
    const reply = await client.request('DELETE', root + query, { body });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({ errors: [{ pointer, detail: `must be ${word}` }] });
    expect((await client.request('DELETE', root)).status).toBe(422);
  });

  it('requires the scope employees:sync', async () => {
    const other = await service.client(['employees:write']);
    expect((await other.request('DELETE', root, { body: { confirm: word } })).status).toBe(403);
  });

  it('reports the plan of a dry run and deletes nothing; there is no snapshot to restore', () => {
    const { deletion, restore, snapshots } = history;
    expect(deletion.report).toMatchObject({ deleted: size, snapshotId: null });
    expect(deletion.docs).toHaveLength(size);
    expect(restore).toBe(409);
    expect(snapshots).toMatchObject({ items: [] });
  });
});

describe('all employees', () => {
  let docs: Awaited<ReturnType<typeof employeeDocs>>;
  let employees: Awaited<ReturnType<typeof listed>>;
  let deletion: Awaited<ReturnType<typeof deleteWhileReading>>;
  let restoration: Awaited<ReturnType<typeof restoreAll>>;

  beforeAll(async () => {
    await resync();
    [docs, employees] = [await employeeDocs(sandbox), await listed()];
    deletion = await deleteWhileReading();
    restoration = await restoreAll();
  });

  /** Deletes all employees while the list is read, and then resyncs. */
  async function deleteWhileReading() {
    const before = (await sandbox.control.requests('employee-records')).requests.length;
    const { id } = await client.requestJob('DELETE', `${root}?confirm=${word}`);
    const seen = new Set<string>();
    do seen.add(JSON.stringify((await listedAtOnce()).items));
    while (!['succeeded', 'failed'].includes((await client.job(id)).state));
    seen.add(JSON.stringify((await listedAtOnce()).items));
    const report = contract.result.parse((await client.job(id)).result);
    const after = { docs: await employeeDocs(sandbox), employees: await listed() };
    const { requests } = await sandbox.control.requests('employee-records');
    return { report, seen, ...after, requests: requests.slice(before), nextResync: await resync() };
  }

  /** Restores the snapshot while answers of the records system are lost, and then resyncs. */
  async function restoreAll() {
    const snapshots = (await client.request('GET', `${root}/snapshots`)).body;
    await sandbox.control.fault('employee-records', { fault: 'drop-after-commit', method: 'POST', times: 3 });
    const report = await run('POST', '/restore');
    const after = { docs: await employeeDocs(sandbox), employees: await listed() };
    return { snapshots, report, ...after, nextResync: await resync() };
  }

  it('are deleted after their reports; readers see the old list or the new one', () => {
    const { report, seen, requests } = deletion;
    expect(report).toMatchObject({ mode: 'delete-all', deleted: size, failed: 0 });
    expect(deletion.docs).toEqual([]);
    expect(seen.size).toBe(2);
    expect(report.listed).toBeGreaterThan(80);
    expect(deletion.employees.every(({ hasRecord }) => !hasRecord)).toBe(true);

    const deleted = requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path.split('/').at(-1));
    expect(new Set(deleted).size).toBe(size);
    const managerOf = new Map(docs.map(({ name, reports_to: manager }) => [name, manager]));
    const early = deleted.filter((name, place) => {
      const manager = managerOf.get(name ?? null);
      return manager !== null && deleted.indexOf(String(manager)) < place;
    });
    expect(early).toEqual([]);
  });

  it('may be missing in later resyncs, which are not held', () =>
    expect(deletion.nextResync).toMatchObject({ created: 0, updated: 0, deleted: 0 }));

  it('are restored from the snapshot with all fields and reporting lines, each once', () => {
    const { snapshots, report, nextResync } = restoration;
    expect(snapshots).toMatchObject({ items: [{ employees: size }] });
    expect(report).toMatchObject({ created: size, failed: 0, listed: total });
    expect(comparableDocs(restoration.docs)).toEqual(comparableDocs(docs));
    const withNumber = ({ employeeNumber }: (typeof employees)[number]) => employeeNumber !== null;
    const restored = new Map(restoration.employees.map(employee => [employee.number, employee]));
    for (const employee of employees.filter(withNumber)) expect(restored.get(employee.number)).toEqual(employee);
    expect(nextResync).toMatchObject({ matched: total, created: 0, updated: 0, deleted: 0 });
  });

  it('are restored only where missing or changed; other records stay unchanged', async () => {
    const now = await employeeDocs(sandbox);
    const managers = new Set(now.map(({ reports_to: manager }) => manager));
    const [leaf, changed] = now.filter(({ name }) => !managers.has(name));
    await changeDoc(sandbox, 'DELETE', String(leaf?.name));
    await changeDoc(sandbox, 'PUT', String(changed?.name), { designation: 'Photographer', branch: 'Abu Dhabi' });
    await addDoc(sandbox, { ...leaf, first_name: 'Nobody', employee_number: 'MP-9999' });
    const report = await run('POST', '/restore', { dryRun: true });
    expect(report).toMatchObject({ created: 1 });
    expect(await run('POST', '/restore')).toMatchObject({ created: 1, failed: 0 });
    const after = await employeeDocs(sandbox);
    expect(after).toHaveLength(size + 1);
    expect(comparableDocs(after.filter(doc => doc.employee_number !== 'MP-9999'))).toEqual(comparableDocs(docs));
    const added = after.find(doc => doc.employee_number === 'MP-9999');
    await changeDoc(sandbox, 'DELETE', String(added?.name));
    await resync();
  });

  it('are not restored from a missing snapshot', async () => {
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
