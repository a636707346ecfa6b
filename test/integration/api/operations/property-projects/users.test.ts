import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import propertyProjects from '../../../../../core/integrations/property-projects/system.ts';
import { ProjectUser } from '../../../../../core/integrations/property-projects/user.ts';
import type { Reply } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const path = '/apps/property-projects/v1/users';
const Page = z.object({ items: z.array(ProjectUser), nextCursor: z.string().nullable(), total: z.int() });

const sandbox = useSandbox();
const service = useService('project users', () => ({ sandboxUrl: sandbox.url }));
const client = useClient(service, ['projects:read', 'projects:write']);

afterEach(() => sandbox.control.reset('property-projects'));

const amal = {
  firstName: 'Amal',
  lastName: 'Haddad',
  email: 'Amal.Haddad@meridianpalm.example',
  phone: '050 123 4567',
  role: 'editor',
  crmId: 401,
};
const create = (body: object, headers: Record<string, string> = {}): Promise<Reply> =>
  client.request('POST', path, { body, headers });
const page = async (query: string) => Page.parse((await client.request('GET', `${path}?${query}`)).body);

describe('the users', () => {
  it('are listed without a cache', async () => {
    const first = await page('limit=50');
    const rest = await page(`limit=50&cursor=${first.nextCursor}`);
    expect(first.items.length + rest.items.length).toBe(first.total);
    expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBe(first.total);
    expect([...first.items, ...rest.items].every(({ email }) => email === email?.toLowerCase())).toBe(true);
    expect(await page('limit=7')).toMatchObject({ items: { length: 7 }, total: first.total });
  });

  it('are found by e-mail, ignoring case, and by their CRM id', async () => {
    const projects = propertyProjects.client(service.systems);
    const user = (await page('limit=100')).items.find(({ crmId }) => crmId !== null);
    expect(await projects.usersByEmail(user?.email?.toUpperCase() ?? '')).toEqual([user]);
    expect(await projects.usersByCrmId(user?.crmId ?? 0)).toEqual([user]);
    expect(await projects.usersByEmail('unknown@meridianpalm.example')).toEqual([]);
  });
});

describe('a user', () => {
  it('is created, replaced and deleted', async () => {
    const made = await create(amal);
    expect(made).toMatchObject({
      status: 201,
      body: {
        email: 'amal.haddad@meridianpalm.example',
        phone: '+971501234567',
        role: 'editor',
        crmId: 401,
        active: true,
      },
    });
    const { id } = ProjectUser.parse(made.body);
    const replaced = await client.request('PUT', `${path}/${id}`, { body: { ...amal, phone: null, role: 'viewer' } });
    expect(replaced).toMatchObject({ status: 200, body: { id, phone: null, role: 'viewer' } });
    expect((await client.request('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await client.request('DELETE', `${path}/${id}`)).status).toBe(404);
    expect((await client.request('PUT', `${path}/${id}`, { body: amal })).status).toBe(404);
  });

  it('is created once per Idempotency-Key, also when the answer was lost', async () => {
    const count = async () => (await sandbox.control.rows('property-projects', 'users')).count;
    const before = await count();
    const first = await create(amal, { 'idempotency-key': 'amal' });
    const again = await create(amal, { 'idempotency-key': 'amal' });
    expect(again.body).toEqual(first.body);
    await sandbox.control.fault('property-projects', { fault: 'drop-after-commit', method: 'POST' });
    expect((await create({ ...amal, email: 'other@meridianpalm.example' })).status).toBe(201);
    expect(await count()).toBe(before + 2);
  });

  it('returns 409 when the e-mail is in use', async () => {
    await create(amal);
    expect(await create({ ...amal, email: amal.email.toUpperCase() })).toMatchObject({
      status: 409,
      body: { errors: [{ pointer: '/email' }] },
    });
  });

  it('returns 422 with all errors before a call to the system', async () => {
    const reply = await create({ firstName: '', email: 'x', phone: '12', role: 'owner' });
    expect(reply.status).toBe(422);
    const { errors } = z.object({ errors: z.array(z.object({ pointer: z.string() })) }).parse(reply.body);
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/email',
      '/firstName',
      '/lastName',
      '/phone',
      '/role',
    ]);
    expect((await sandbox.control.requests('property-projects')).total).toBe(0);
  });
});
