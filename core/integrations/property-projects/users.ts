/** Users of the property-project system. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { everyRow, goodRows, type ReadRow, readRow } from '../kit/read-rows.ts';
import { incompleteList, orFalse, orUndefined, type SystemName, UpstreamError } from '../kit/upstream-error.ts';
import { ProjectUser, type ProjectUserFields } from './user.ts';
import { asUserRejection, oneOf, pageOf, snakeCaseRow, wireUser } from './wire.ts';

const pageSize = 100;
const path = '/users';
const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
const UserRow = snakeCaseRow(ProjectUser);
const UsersPage = pageOf('user', UserRow);
const OneUser = oneOf(UserRow);
const RawPage = z.object({ data: z.array(z.unknown()), meta: z.object({ total: z.int() }) });
/** What users are searched by, also where other fields have an unexpected form. */
const Keys = snakeCaseRow(
  z.object({ email: ProjectUser.shape.email.catch(null), crmId: ProjectUser.shape.crmId.catch(null) }),
);

export function openUsers(http: SystemHttp, system: SystemName) {
  /** @throws UpstreamError when a user that is searched for cannot be read */
  async function search(isWanted: (keys: z.output<typeof Keys>) => boolean): Promise<ProjectUser[]> {
    const rows = (await readAll(http, system)).map((raw, index) => {
      const keys = Keys.safeParse(raw).data;
      const read = readRow({ system, record: 'user', id: 'id' }, UserRow, raw, index);
      return { read, isWanted: keys !== undefined && isWanted(keys) };
    });
    const readOf = (wanted: boolean) => rows.filter(row => row.isWanted === wanted).map(({ read }) => read);
    // Reports the others that cannot be read.
    goodRows(readOf(false));
    return everyRow(system, readOf(true));
  }
  const usersByEmail = (email: string): Promise<ProjectUser[]> =>
    search(user => user.email === email.trim().toLowerCase());

  return {
    async usersPage({ offset, limit }: { offset: number; limit: number }) {
      const items: ReadRow<ProjectUser>[] = [];
      let total = Number.POSITIVE_INFINITY;
      const firstPage = Math.floor(offset / pageSize);
      for (let page = firstPage; page * pageSize < Math.min(offset + limit, total); page += 1) {
        const read = await readPage(http, page + 1);
        items.push(...read.items);
        total = read.total;
      }
      const skipped = offset - firstPage * pageSize;
      return { items: goodRows(items.slice(skipped, skipped + limit)), total };
    },

    usersByEmail,
    usersByCrmId: (crmId: number): Promise<ProjectUser[]> => search(user => user.crmId === crmId),

    user: async (id: string): Promise<ProjectUser | undefined> =>
      (await orUndefined(http.get(pathOf(id), OneUser)))?.data,

    /**
     * E-mails are unique: when the outcome of the create is unknown, a user with this e-mail and name is the created one.
     * @throws ServiceError conflict, invalid-input
     */
    async createUser(fields: ProjectUserFields): Promise<ProjectUser> {
      const call = { class: 'create', method: 'POST', path, answer: OneUser } as const;
      try {
        return (await withRejections(http.call({ ...call, json: wireUser(fields) }))).data;
      } catch (error) {
        if (!(error instanceof UpstreamError) || !error.maybeExecuted) throw error;
        const [user] = await usersByEmail(fields.email).catch(() => []);
        if (user && user.firstName === fields.firstName && user.lastName === fields.lastName) return user;
        throw error;
      }
    },

    /** @returns undefined when there is no such user @throws ServiceError conflict, invalid-input */
    async updateUser(id: string, fields: ProjectUserFields): Promise<ProjectUser | undefined> {
      const call = { class: 'set', method: 'PUT', path: pathOf(id), answer: OneUser } as const;
      return (await withRejections(orUndefined(http.call({ ...call, json: wireUser(fields) }))))?.data;
    },

    /** @returns false when the user did not exist */
    deleteUser: (id: string): Promise<boolean> =>
      orFalse(http.call({ class: 'set', method: 'DELETE', path: pathOf(id), answer: z.unknown() })),
  };
}

async function readPage(http: SystemHttp, page: number): Promise<{ items: ReadRow<ProjectUser>[]; total: number }> {
  const { data, meta } = await http.get(path, UsersPage, { page, limit: pageSize });
  return { items: data, total: meta.total };
}

/**
 * Searches read all users: the system finds equal fields only, and stores e-mails in any case.
 * @throws UpstreamError when fewer arrived than the system counts
 */
async function readAll(http: SystemHttp, system: SystemName): Promise<unknown[]> {
  const users: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const { data, meta } = await http.get(path, RawPage, { page, limit: pageSize });
    users.push(...data);
    if (users.length >= meta.total) return users;
    if (data.length === 0) throw incompleteList(system, 'users', { expected: meta.total, received: users.length });
  }
}

const withRejections = <T>(call: Promise<T>): Promise<T> => call.catch(error => Promise.reject(asUserRejection(error)));
