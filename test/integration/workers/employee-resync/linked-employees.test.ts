/** Employees to whom other documents link: reported with the document, refused or set to Left, and restored. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import contract from '../../../../workers/employee-resync/contract.ts';
import handler from '../../../../workers/employee-resync/handler.ts';
import {
  addDoc,
  changeDoc,
  comparableDocs,
  type EmployeeDoc,
  employeeDocs,
  employeeTables,
} from '../../../support/employee-documents.ts';
import { useJob } from '../../../support/use-job.ts';

const root = '/apps/employees/v1/employees';
const size = 60;
const leave = { from_date: '2026-02-02', to_date: '2026-02-06' };

const { sandbox, client } = useJob('linked employees', {
  handler,
  scopes: ['employees:read', 'employees:write', 'employees:sync'],
  attempts: 1,
});
let docs: EmployeeDoc[];
/** Record name of an employee to whom no one reports, and the names of the managers above. */
let leaf: string;
let managers: string[];

beforeAll(() => sandbox.control.settings('directory', { users: 80 }));
beforeEach(async () => {
  await sandbox.control.settings('employee-records', { employees: size });
  docs = await employeeDocs(sandbox);
  const managerOf = new Map(docs.map(doc => [String(doc.name), doc.reports_to]));
  const chains = [...managerOf.keys()].map(managersOf);
  const longest = Math.max(...chains.map(chain => chain.length));
  [leaf = '', ...managers] = chains.find(chain => chain.length === longest) ?? [];

  function managersOf(name: string): string[] {
    const manager = managerOf.get(name);
    return [name, ...(manager ? managersOf(String(manager)) : [])];
  }
});
afterEach(async () => {
  await sandbox.control.reset('employee-records');
  await sandbox.control.data('directory', 'users', 'reset');
});

const start = (body: object, query = '') =>
  client.requestJob('DELETE', root + query, {
    headers: { prefer: 'wait=60' },
    body: { confirm: 'delete-all-employees', ...body },
  });
async function deleteAll(body: object = {}, query = '') {
  const job = await start(body, query);
  expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
  return contract.result.parse(job.result);
}
const linkAll = () => sandbox.control.settings('employee-records', { linkedEmployees: size });
const keyOf = (name: string) => docs.find(doc => doc.name === name)?.employee_number ?? name;
async function restore(): Promise<void> {
  const job = await client.requestJob('POST', `${root}/restore`, { headers: { prefer: 'wait=60' } });
  expect(job).toMatchObject({ state: 'succeeded', result: { failed: 0 } });
}

describe('the plan of a deletion of all employees', () => {
  beforeEach(() => addDoc(sandbox, { employee: leaf, ...leave }, 'Leave Application'));

  it('shows the linked documents, and the managers who remain with a report; it changes nothing', async () => {
    const report = await deleteAll({ dryRun: true });
    expect(report).toMatchObject({ deleted: size - 1 - managers.length, failed: 1 + managers.length });
    expect(report.rows.slice(0, 2)).toEqual([
      {
        key: keyOf(leaf),
        outcome: 'failed',
        reason: 'Not deleted: Leave Application HR-LAP-2026-00001 links to this employee.',
      },
      {
        key: keyOf(managers[0] ?? ''),
        outcome: 'failed',
        reason: `Not deleted: Employee ${leaf} links to this employee.`,
      },
    ]);
    expect(await employeeDocs(sandbox)).toEqual(docs);
  });

  it('shows who would be set to Left, and since when', async () => {
    const report = await deleteAll({ dryRun: true, onLinked: 'set-left', relievingDate: '2026-10-31' });
    expect(report).toMatchObject({ updated: 1 + managers.length, failed: 0 });
    expect(await deleteAll({ dryRun: true }, '?onLinked=set-left')).toMatchObject({ updated: report.updated });
    expect(report.rows[0]).toEqual({
      key: keyOf(leaf),
      outcome: 'updated',
      reason: 'Status Left on 2026-10-31: Leave Application HR-LAP-2026-00001 links to this employee.',
    });
    expect(await employeeDocs(sandbox)).toEqual(docs);
  });

  it('is part of a held run', async () => {
    await sandbox.control.data('directory', 'users', 'empty');
    const job = await start({});
    expect(job).toMatchObject({ state: 'held', result: { failed: 1 + managers.length } });
    const { body } = await client.request('GET', `/jobs/${job.id}/plan`);
    const reason = 'Not deleted, because other documents link to the employee.';
    expect(body).toMatchObject({
      changes: expect.arrayContaining([expect.objectContaining({ outcome: 'failed', reason })]),
    });
  });
});

describe('the deletion of all employees', () => {
  it('leaves linked employees and their managers, with the vendor’s reason for each', async () => {
    await addDoc(sandbox, { employee: leaf, ...leave }, 'Leave Application');
    const report = await deleteAll();
    expect(report).toMatchObject({ deleted: size - 1 - managers.length, failed: 1 + managers.length });
    expect(report.rows).toContainEqual({
      key: keyOf(leaf),
      outcome: 'failed',
      reason: 'The employee records do not delete this employee: Leave Application HR-LAP-2026-00001 links to it.',
    });
    expect(report.rows).toContainEqual({
      key: keyOf(managers[0] ?? ''),
      outcome: 'failed',
      reason: `The employee records do not delete this employee: Employee ${leaf} links to it.`,
    });
    const left = (await employeeDocs(sandbox)).map(({ name }) => name);
    expect(left.sort()).toEqual([leaf, ...managers].sort());
    const { body } = await client.request('GET', `${root}/${keyOf(leaf)}`);
    expect(body).toMatchObject({ hasRecord: true });
  });

  it('fails if it deleted none, with the document of each employee', async () => {
    await linkAll();
    const job = await start({});
    expect(job).toMatchObject({
      state: 'failed',
      error: {
        status: 409,
        detail: expect.stringContaining(`deleted none of ${size} employees`),
        errors: expect.arrayContaining([
          {
            pointer: '',
            detail: expect.stringMatching(/^\S+: The employee .* Attendance HR-ATT-2026-000\d\d links to it\.$/),
          },
        ]),
      },
    });
    expect(await employeeDocs(sandbox)).toEqual(docs);
  });

  it('succeeds if there are no records', async () => {
    await sandbox.control.data('employee-records', 'employees', 'empty');
    expect(await deleteAll()).toMatchObject({ deleted: 0, failed: 0 });
  });
});

describe('the status Left instead of a deletion', () => {
  it('is set for linked employees; an interrupted run can be repeated, and its snapshot restores all', async () => {
    await linkAll();
    const tables = await employeeTables(sandbox);
    await sandbox.control.fault('employee-records', { fault: 'unauthorized', method: 'PUT', skip: 9 });
    const stopped = await start({ onLinked: 'set-left', relievingDate: '2026-10-31' });
    expect(stopped).toMatchObject({ state: 'failed', error: { status: 502 } });
    const half = (await employeeDocs(sandbox)).filter(doc => doc.relieving_date === '2026-10-31');
    expect(half.length).toBeGreaterThan(5);

    await client.request('POST', `/jobs/${stopped.id}/retry`);
    const job = await client.waitForJob(stopped.id);
    expect(job, JSON.stringify(job.error)).toMatchObject({ state: 'succeeded' });
    const report = contract.result.parse(job.result);
    expect(report).toMatchObject({ deleted: 0, failed: 0 });
    const now = await employeeDocs(sandbox);
    expect(new Set(now.map(({ status }) => status))).toEqual(new Set(['Left']));
    const active = docs.filter(({ status }) => status !== 'Left').map(({ name }) => name);
    for (const doc of now.filter(({ name }) => active.includes(name))) expect(doc.relieving_date).toBe('2026-10-31');

    await restore();
    expect(comparableDocs(await employeeDocs(sandbox))).toEqual(comparableDocs(docs));
    expect(await employeeTables(sandbox)).toEqual(tables);
  });

  it('is not set for employees without linked documents: these are deleted and restored with their tables', async () => {
    const tables = await employeeTables(sandbox);
    expect(tables).not.toEqual([]);
    await addDoc(sandbox, { employee: leaf, ...leave }, 'Leave Application');
    const report = await deleteAll({ onLinked: 'set-left' });
    expect(report).toMatchObject({ deleted: size - 1 - managers.length, failed: 0 });
    await restore();
    expect(comparableDocs(await employeeDocs(sandbox))).toEqual(comparableDocs(docs));
    expect(await employeeTables(sandbox)).toEqual(tables);
  });
});

describe('the deletion of one linked employee', () => {
  const remove = (name: string, query = '') => client.request('DELETE', `${root}/${name}${query}`);

  it('returns 409 with the vendor’s reason, the linked document and the next step', async () => {
    await addDoc(sandbox, { employee: leaf, ...leave }, 'Leave Application');
    expect(await remove(leaf)).toMatchObject({
      status: 409,
      body: {
        detail:
          'The employee records do not delete this employee: Leave Application HR-LAP-2026-00001 links to it. ' +
          'Delete that document first, or send `onLinked=set-left` to set the employee to Left.',
      },
    });
    await changeDoc(sandbox, 'DELETE', 'HR-LAP-2026-00001', undefined, 'Leave Application');
    expect((await remove(leaf)).status).toBe(204);
  });

  it('sets the status Left on request, in the records and in the list', async () => {
    await addDoc(sandbox, { employee: leaf, ...leave }, 'Leave Application');
    const reply = await remove(leaf, '?onLinked=set-left&relievingDate=2026-10-31');
    expect(reply).toMatchObject({ status: 200, body: { number: keyOf(leaf), status: 'Left' } });
    expect((await employeeDocs(sandbox)).find(({ name }) => name === leaf)).toMatchObject({
      status: 'Left',
      relieving_date: '2026-10-31',
    });
    expect((await client.request('GET', `${root}/${keyOf(leaf)}`)).body).toMatchObject({ status: 'Left' });
  });

  it('returns 409 with the reports if an active employee reports to them', async () => {
    const manager = managers[0] ?? '';
    const { id } = await client.requestJob('POST', `${root}/sync`, { headers: { prefer: 'wait=60' } });
    // The first one changes the status of more employees than it may without a release.
    await client.request('POST', `/jobs/${id}/release`);
    expect(await client.waitForJob(id)).toMatchObject({ state: 'succeeded' });
    expect(await remove(manager, '?onLinked=set-left')).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(/^Employees report to employee \S+: .*Change their `reportsTo`/),
      },
    });
  });

  it.each([
    ['onLinked=leave', '/onLinked'],
    ['relievingDate=tomorrow', '/relievingDate'],
  ])('returns 422 for %s', async (query, pointer) => {
    const errors = z.object({ errors: z.array(z.object({ pointer: z.string() })) });
    const reply = await remove(leaf, `?${query}`);
    expect(reply.status).toBe(422);
    expect(errors.parse(reply.body).errors.map(error => error.pointer)).toEqual([pointer]);
  });
});

describe('employees who report to each other', () => {
  it('are restored with their reporting lines when the deletion was begun again after it had removed these', async () => {
    await changeDoc(sandbox, 'PUT', managers[0] ?? '', { reports_to: leaf });
    const circular = comparableDocs(await employeeDocs(sandbox));
    await sandbox.control.fault('employee-records', { fault: 'error-500', method: 'DELETE', times: 1_000 });
    const failed = await start({});
    expect(failed).toMatchObject({ state: 'failed' });
    const reportsTo = (await employeeDocs(sandbox)).find(({ name }) => name === leaf)?.reports_to;
    expect(reportsTo).toBeNull();

    await sandbox.control.endFaults('employee-records');
    await client.request('POST', `/jobs/${failed.id}/retry`);
    expect(await client.waitForJob(failed.id)).toMatchObject({ state: 'succeeded', result: { deleted: size } });
    await restore();
    expect(comparableDocs(await employeeDocs(sandbox))).toEqual(circular);
  });
});
