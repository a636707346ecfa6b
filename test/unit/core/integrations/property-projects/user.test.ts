/** The fields of a user of the property-project system. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ProjectUser, ProjectUserFields } from '../../../../../core/integrations/property-projects/user.ts';

const required = { firstName: 'Sara', lastName: 'Haddad', email: 'sara@example.com' };

const faultsOf = (change: object) =>
  ProjectUserFields.safeParse({ ...required, ...change }).error?.issues.map(
    ({ path, message }) => `${path.join('.')} ${message}`,
  );

describe('fields of a new user', () => {
  it('have defaults, except name and e-mail', () => {
    expect(ProjectUserFields.parse(required)).toEqual({
      ...required,
      phone: null,
      role: 'viewer',
      crmId: null,
      active: true,
    });
    expect(ProjectUserFields.safeParse({}).error?.issues.map(({ path }) => path[0])).toEqual(Object.keys(required));
  });

  it('are normalised', () =>
    expect(
      ProjectUserFields.parse({ ...required, firstName: ' Sara ', email: ' Sara@Example.COM ', phone: '050 123 4567' }),
    ).toMatchObject({ firstName: 'Sara', email: 'sara@example.com', phone: '+971501234567' }));

  it.each([
    [{ firstName: ' ' }, 'firstName must not be empty'],
    [{ lastName: 'x'.repeat(101) }, 'lastName must have at most 100 characters'],
    [{ firstName: 7 }, 'firstName must be a text'],
    [{ email: 'sara' }, 'email must be an e-mail address'],
    [{ email: `${'x'.repeat(243)}@example.com` }, 'email must have at most 254 characters'],
    [{ phone: '12' }, 'phone must be a phone number, such as +971501234567'],
    [{ phone: '0'.repeat(41) }, 'phone must have at most 40 characters'],
    [{ role: 'owner' }, 'role must be admin, editor or viewer'],
    [{ crmId: 1.5 }, 'crmId must be a whole number'],
    [{ crmId: 0 }, 'crmId must be a positive number'],
    [{ active: 'yes' }, 'active must be true or false'],
  ])('are rejected: %j', (change, fault) => expect(faultsOf(change)).toContain(fault));

  it.each([
    { firstName: 'x'.repeat(100) },
    { phone: null, crmId: null },
    { role: 'admin' },
    { role: 'editor' },
    { active: false, crmId: 1 },
  ])('may be %j', change => expect(faultsOf(change)).toBeUndefined());
});

describe('a user as read', () => {
  it('has a lower-case e-mail and a phone in E.164', () =>
    expect(ProjectUser.parse({ id: 31, email: 'Sara@Example.com', phone: '050 123 4567', crmId: '17' })).toEqual({
      id: '31',
      firstName: null,
      lastName: null,
      email: 'sara@example.com',
      phone: '+971501234567',
      role: null,
      crmId: 17,
      active: true,
      createdAt: null,
    }));

  it.each([
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.000Z'],
    ['2026-01-31T12:00:00.5+04:00', '2026-01-31T08:00:00.500Z'],
    ['January', 'January'],
    [null, null],
  ])('has its time in UTC with milliseconds: %j', (createdAt, read) =>
    expect(ProjectUser.parse({ id: '31', email: null, createdAt })).toMatchObject({ createdAt: read }),
  );

  it.each([
    ['ext. 12', 'ext. 12'],
    [null, null],
  ])('keeps a phone of another form: %j', (phone, read) =>
    expect(ProjectUser.parse({ id: '31', phone, email: null, active: false })).toMatchObject({
      phone: read,
      email: null,
      active: false,
    }),
  );
});

it('the examples are valid, and show all fields', () => {
  const Meta = z.object({ examples: z.array(z.unknown()).length(1) });
  for (const schema of [ProjectUser, ProjectUserFields]) {
    const { examples } = Meta.parse(schema.meta());
    expect(schema.safeParse(examples[0]).success).toBe(true);
  }
  expect(ProjectUser.meta()).toMatchObject({
    id: 'ProjectUser',
    examples: [{ active: true, email: expect.any(String) }],
  });
});
