/** The users of the property-project system: listed, found, made, changed, deleted. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { didFind, orUndefined } from '../kit/optional.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { asUserRefusal } from './refusal.ts';
import type { ProjectUser, ProjectUserFields } from './user.ts';
import { oneOf, pageOf, UserRow, userFields } from './wire.ts';

const pageSize = 100;
const path = '/users';
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
const UsersPage = pageOf(UserRow);
const OneUser = oneOf(UserRow);

export function openUsers(http: SystemHttp) {
  async function readPage(page: number): Promise<{ items: ProjectUser[]; total: number }> {
    const query = { page, limit: pageSize };
    const { data, meta } = await http.call({ class: 'read', method: 'GET', path, query, answer: UsersPage });
    return { items: data, total: meta.total };
  }

  /** The system finds by equal fields only, and e-mails in either case: we look through all of them. */
  async function all(): Promise<ProjectUser[]> {
    const users: ProjectUser[] = [];
    for (let page = 1; ; page += 1) {
      const { items, total } = await readPage(page);
      users.push(...items);
      if (page * pageSize >= total || items.length === 0) return users;
    }
  }

  const refusable = async <T>(done: Promise<T>): Promise<T> =>
    await done.catch(error => {
      throw asUserRefusal(error);
    });

  const usersByEmail = async (email: string): Promise<ProjectUser[]> =>
    (await all()).filter(user => user.email === email.trim().toLowerCase());

  return {
    async usersPage({ offset, limit }: { offset: number; limit: number }) {
      const items: ProjectUser[] = [];
      let total = Number.POSITIVE_INFINITY;
      const firstPage = Math.floor(offset / pageSize);
      for (let page = firstPage; page * pageSize < Math.min(offset + limit, total); page += 1) {
        const read = await readPage(page + 1);
        items.push(...read.items);
        total = read.total;
      }
      const skipped = offset - firstPage * pageSize;
      return { items: items.slice(skipped, skipped + limit), total };
    },

    usersByEmail,
    usersByCrmId: async (crmId: number): Promise<ProjectUser[]> =>
      (await all()).filter(user => user.crmId === crmId),

    user: async (id: string): Promise<ProjectUser | undefined> =>
      (await orUndefined(http.call({ class: 'read', method: 'GET', path: pathOf(id), answer: OneUser })))
        ?.data,

    /**
     * E-mails are unique there: where it is not known whether the user was made, one with this e-mail is the one.
     * @throws ServiceError conflict, invalid-input
     */
    async createUser(fields: ProjectUserFields): Promise<ProjectUser> {
      const call = {
        class: 'create',
        method: 'POST',
        path,
        json: wireFields(fields),
        answer: OneUser,
      } as const;
      try {
        return (await refusable(http.call(call))).data;
      } catch (error) {
        if (!(error instanceof UpstreamError) || !error.failure.mayHaveRun) throw error;
        const [made] = await usersByEmail(fields.email).catch(() => []);
        if (made && made.firstName === fields.firstName && made.lastName === fields.lastName) return made;
        throw error;
      }
    },

    /** @returns undefined when there is no such user @throws ServiceError conflict, invalid-input */
    async updateUser(id: string, fields: ProjectUserFields): Promise<ProjectUser | undefined> {
      const call = {
        class: 'set',
        method: 'PUT',
        path: pathOf(id),
        json: wireFields(fields),
        answer: OneUser,
      } as const;
      return (await refusable(orUndefined(http.call(call))))?.data;
    },

    /** @returns false when the user was gone */
    deleteUser: (id: string): Promise<boolean> =>
      didFind(http.call({ class: 'set', method: 'DELETE', path: pathOf(id), answer: z.unknown() })),
  };
}

const wireFields = (fields: ProjectUserFields): Record<string, unknown> => ({
  [userFields.firstName]: fields.firstName,
  [userFields.lastName]: fields.lastName,
  [userFields.email]: fields.email,
  [userFields.phone]: fields.phone,
  [userFields.role]: fields.role,
  [userFields.crmId]: fields.crmId,
  [userFields.active]: fields.active,
});
