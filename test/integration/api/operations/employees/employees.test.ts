/** Employee operations over HTTP: each writes to the employee records first, then to the local list. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEmployeeViews } from '../../../../../core/domain/employees/repository.ts';
import { changeDoc, employeeDocs } from '../../../../support/employee-documents.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const Page = z.object({ items: z.array(z.object({ number: z.string() })), nextCursor: z.string().nullable() });
const root = '/apps/employees/v1/employees';
const sara = {
  employeeNumber: 'MP-9001',
  firstName: 'Sara',
  lastName: 'Haddad',
  email: 'Sara.Nine@MeridianPalm.example',
  phone: '050 123 4567',
  department: 'Leasing',
  designation: 'Leasing Consultant',
  dateOfJoining: '2024-03-01',
  reportsTo: 'MP-1001',
  crmId: 42,
  gender: 'Female',
  dateOfBirth: '1991-05-17',
};

const sandbox = useSandbox();
const service = useService('employees', () => ({ sandboxUrl: sandbox.url }));
const client = useClient(service, ['employees:read', 'employees:write']);

afterEach(async () => {
  await sandbox.control.reset('employee-records');
  await service.database.pool.query('delete from employee');
});

const docOf = async (number: string) =>
  (await employeeDocs(sandbox)).find(({ employee_number: one }) => one === number);
const create = (body: object = sara, headers: Record<string, string> = {}) =>
  client.request('POST', root, { body, headers });
const change = (number: string, body: object) => client.request('PATCH', `${root}/${number}`, { body });

describe('creating an employee', () => {
  it('writes all fields to the records, and only the shown fields to the list', async () => {
    const reply = await create();
    expect(reply.status).toBe(201);
    expect(reply.headers.get('location')).toBe(`/v2${root}/MP-9001`);
    expect(reply.headers.get('portal-sandbox')).toBe('employee-records');
    const shown = {
      number: 'MP-9001',
      email: 'sara.nine@meridianpalm.example',
      phone: '+971501234567',
      reportsTo: 'MP-1001',
      status: 'Active',
      crmId: 42,
      directoryId: null,
      hasRecord: true,
    };
    expect(reply.body).toMatchObject(shown);
    expect(await docOf('MP-9001')).toMatchObject({
      gender: 'Female',
      date_of_birth: '1991-05-17',
      department: 'Leasing - MP',
      reports_to: 'HR-EMP-00001',
      custom_crm_id: '42',
    });
    expect((await client.request('GET', `${root}/MP-9001`)).body).toMatchObject({ ...shown, asOf: null });
    const { rows } = await service.database.pool.query('select * from employee');
    expect(JSON.stringify(rows)).not.toMatch(/1991-05-17|Female/);
  });

  it('uses the record’s name without an employee number', async () => {
    const { employeeNumber: _, ...without } = sara;
    const reply = await create(without);
    expect(reply.body).toMatchObject({ employeeNumber: null, number: expect.stringMatching(/^HR-EMP-/) });
  });

  it.each([
    ['an empty body', {}, ['/firstName', '/gender', '/dateOfBirth', '/dateOfJoining']],
    [
      'an invalid date, phone, e-mail and status',
      { ...sara, dateOfBirth: '17.5.1991', phone: '12', email: 'x', status: 'Here' },
      ['/email', '/phone', '/status', '/dateOfBirth'],
    ],
    ['a department that the records do not have', { ...sara, department: 'Astrology' }, ['/department']],
    ['an unknown manager', { ...sara, reportsTo: 'MP-0' }, ['/reportsTo']],
    ['a birth date after the joining date', { ...sara, dateOfBirth: '2025-01-01' }, ['/dateOfJoining']],
    ['the status Left without a relieving date', { ...sara, status: 'Left' }, ['/relievingDate']],
  ])('returns 422 with a pointer to each error: %s', async (_, body, pointers) => {
    const reply = await create(body);
    expect(reply.status).toBe(422);
    const { errors } = z.object({ errors: z.array(z.object({ pointer: z.string() })) }).parse(reply.body);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([...pointers].sort());
    expect(await employeeDocs(sandbox)).toHaveLength(250);
  });

  it('returns 409 for an existing number or a current employee’s e-mail', async () => {
    await create();
    expect(await create({ ...sara, email: 'other@meridianpalm.example' })).toMatchObject({
      status: 409,
      body: { detail: 'Another employee has the employee number MP-9001.' },
    });
    expect(await create({ ...sara, employeeNumber: 'MP-9002' })).toMatchObject({
      status: 409,
      body: { detail: 'Employee MP-9001 has this e-mail address.' },
    });
  });

  it('accepts the e-mail of an employee who has left', async () => {
    await create({ ...sara, employeeNumber: 'MP-8001', status: 'Left', relievingDate: '2024-06-30' });
    expect(await create({ ...sara, dateOfJoining: '2026-01-05' })).toMatchObject({ status: 201 });
  });

  it('creates one record per Idempotency-Key, also when the response is lost', async () => {
    await sandbox.control.fault('employee-records', { fault: 'drop-after-commit', method: 'POST' });
    const replies = [
      await create(sara, { 'idempotency-key': 'sara' }),
      await create(sara, { 'idempotency-key': 'sara' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const { byPath } = await sandbox.control.requests('employee-records');
    expect(byPath['POST /api/resource/Employee']).toBe(1);
  });
});

describe('changing an employee', () => {
  it('changes the given fields in records and list; null clears a field', async () => {
    await create();
    const reply = await change('MP-9001', { department: 'Marketing', phone: null, reportsTo: 'MP-1003', crmId: null });
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      department: 'Marketing',
      phone: null,
      reportsTo: 'MP-1003',
      crmId: null,
      designation: 'Leasing Consultant',
    });
    expect(await docOf('MP-9001')).toMatchObject({ department: 'Marketing - MP', cell_number: null, gender: 'Female' });
  });

  it('can change the number, which identifies the employee from then on', async () => {
    await create();
    expect((await change('MP-9001', { employeeNumber: 'MP-9100' })).body).toMatchObject({ number: 'MP-9100' });
    expect((await client.request('GET', `${root}/MP-9001`)).status).toBe(404);
    expect((await client.request('GET', `${root}/MP-9100`)).status).toBe(200);
    expect((await change('MP-9100', { employeeNumber: 'MP-1001' })).status).toBe(409);
  });

  it('works for an employee who is not in the list yet', async () =>
    expect((await change('MP-1004', { lastName: 'Nasser' })).body).toMatchObject({
      number: 'MP-1004',
      lastName: 'Nasser',
    }));

  it.each([
    ['a body without a field', {}, ''],
    ['a required field set to null', { firstName: null }, '/firstName'],
    ['an employee as their own manager', { reportsTo: 'MP-9001' }, '/reportsTo'],
    ['a report of the employee as their manager', { reportsTo: 'MP-9002' }, '/reportsTo'],
    ['the status Left while others report to the employee', { status: 'Left', relievingDate: '2026-01-01' }, '/status'],
  ])('returns 422 for %s', async (_, body, pointer) => {
    await create();
    await create({ ...sara, employeeNumber: 'MP-9002', email: 'b@meridianpalm.example', reportsTo: 'MP-9001' });
    expect(await change('MP-9001', body)).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it('removes the employee from the list when the record was deleted', async () => {
    await create();
    await changeDoc(sandbox, 'DELETE', String((await docOf('MP-9001'))?.name));
    expect((await change('MP-9001', { lastName: 'Nasser' })).status).toBe(404);
    expect((await client.request('GET', `${root}/MP-9001`)).status).toBe(404);
  });

  it('returns 409 with the next step when the employee has no record', async () => {
    await createEmployeeViews(service.database).put({
      number: 'MP-7000',
      recordName: null,
      employeeNumber: 'MP-7000',
      firstName: 'Omar',
      lastName: null,
      email: null,
      phone: null,
      department: null,
      designation: null,
      status: 'Active',
      dateOfJoining: null,
      reportsTo: null,
      crmId: null,
      directoryId: 'user-7000',
    });
    expect(await change('MP-7000', { lastName: 'Nasser' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('POST creates one') },
    });
  });
});

describe('deleting an employee', () => {
  const remove = (number: string) => client.request('DELETE', `${root}/${number}`);

  it('removes record and list entry; a second time returns 404', async () => {
    await create();
    expect((await remove('MP-9001')).status).toBe(204);
    expect(await docOf('MP-9001')).toBeUndefined();
    expect((await client.request('GET', `${root}/MP-9001`)).status).toBe(404);
    expect((await remove('MP-9001')).status).toBe(404);
  });

  it('returns 409 naming the employees who report to them', async () => {
    await create();
    await create({ ...sara, employeeNumber: 'MP-9002', email: 'b@meridianpalm.example', reportsTo: 'MP-9001' });
    expect(await remove('MP-9001')).toMatchObject({
      status: 409,
      body: {
        detail: 'Employees report to employee MP-9001: MP-9002. Change their `reportsTo`, or delete them first.',
      },
    });
    expect((await client.request('GET', `${root}/MP-9001`)).status).toBe(200);
  });
});

describe('listing employees', () => {
  it('pages by number and filters by status, department, e-mail and manager', async () => {
    for (const number of [1, 2, 3])
      await create({ ...sara, employeeNumber: `MP-900${number}`, email: `p${number}@meridianpalm.example` });
    await change('MP-9002', { status: 'Suspended', department: 'Marketing', reportsTo: 'MP-9001' });
    const numbers = async (query: string) => {
      const { body } = await client.request('GET', `${root}?${query}`);
      return Page.parse(body).items.map(({ number }) => number);
    };
    expect(await numbers('status=Suspended')).toEqual(['MP-9002']);
    expect(await numbers('department=Leasing')).toEqual(['MP-9001', 'MP-9003']);
    expect(await numbers('email=P3@MeridianPalm.example')).toEqual(['MP-9003']);
    expect(await numbers('reportsTo=MP-9001')).toEqual(['MP-9002']);
    const first = await client.request('GET', `${root}?limit=2`);
    const { nextCursor } = Page.parse(first.body);
    expect(first.headers.get('link')).toContain('rel="next"');
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(await numbers(`limit=2&cursor=${nextCursor}`)).toEqual(['MP-9003']);
    expect((await client.request('GET', `${root}?status=Here`)).status).toBe(422);
  });
});

describe('while the employee records are down', () => {
  it('changes nothing locally and returns the vendor’s failure', async () => {
    await create();
    await sandbox.control.fault('employee-records', { fault: 'unauthorized', times: 20 });
    expect(await change('MP-9001', { lastName: 'Nasser' })).toMatchObject({ status: 502 });
    expect((await client.request('DELETE', `${root}/MP-9001`)).status).toBe(502);
    expect((await client.request('GET', `${root}/MP-9001`)).body).toMatchObject({ lastName: 'Haddad' });
  });
});
