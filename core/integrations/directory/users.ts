/** The directory's users and groups. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { everyRow } from '../kit/read-rows.ts';
import { orFalse, orUndefined } from '../kit/upstream-error.ts';
import { cutRange, type Page, type PagedList, type Range, readEach, readRange, readWhole, v2Pages } from './paging.ts';
import {
  type DirectoryGroup,
  type DirectoryUser,
  FoundUsersAnswer,
  GroupsAnswer,
  ParentsAnswer,
  system,
  type TargetState,
  UserAnswer,
  UsersAnswer,
  userNames,
} from './wire.ts';

export interface UserSearch {
  /** Part of any of the fields, in any case. */
  text?: { words: string; fields: readonly SearchedField[] };
  /** All of them must be equal. */
  exactly?: Partial<Record<ExactField, string | undefined>>;
}

export const searchedFields = [
  'username',
  'email',
  'firstName',
  'lastName',
  'displayName',
  'employeeNumber',
  'department',
  'jobTitle',
] as const satisfies (keyof typeof userNames)[];
type SearchedField = (typeof searchedFields)[number];
type ExactField = SearchedField | 'state' | 'company' | 'office';

export function openUsers(http: SystemHttp) {
  const list = userList(http);

  return {
    /** All of them. @throws UpstreamError when users are missing */
    users: (): Promise<DirectoryUser[]> => readWhole(list),

    usersPage: (range: Range): Promise<Page<DirectoryUser>> => readRange(list, range),

    /** Sorted by id. Reads all matches: the directory does not sort them, so that its pages have no fixed rows. */
    async searchUsers(wanted: UserSearch, range: Range): Promise<Page<DirectoryUser>> {
      const found = await readWhole(searchList(http, wanted));
      return cutRange(
        found.sort((one, other) => (one.id < other.id ? -1 : 1)),
        range,
      );
    },

    user: (id: string): Promise<DirectoryUser | undefined> => orUndefined(http.get(`/systemusers/${id}`, UserAnswer)),

    /** Compares whole e-mails in lower case; the directory stores them as typed. */
    async usersByEmail(email: string): Promise<DirectoryUser[]> {
      const wanted = email.trim().toLowerCase();
      const list = searchList(http, { text: { words: wanted, fields: ['email'] } }, FoundUsersAnswer);
      return everyRow(system, await readEach(list)).filter(user => user.email === wanted);
    },

    /** @returns the changed user; undefined when there is none */
    setState: (id: string, state: TargetState): Promise<DirectoryUser | undefined> => {
      const path = `/systemusers/${id}`;
      return orUndefined(http.call({ class: 'set', method: 'PUT', path, json: { state }, answer: UserAnswer }));
    },

    /** The next sign-in needs a new password; sessions do not end. @returns false when there is no such user */
    expirePassword: (id: string): Promise<boolean> =>
      orFalse(http.call({ class: 'set', method: 'POST', path: `/systemusers/${id}/expire`, answer: z.unknown() })),
  };
}

/** The name and the membership are null if the group was deleted meanwhile. */
type GroupOfUser = Pick<DirectoryGroup, 'id' | 'membership'> & { name: string | null };

export function openGroups(http: SystemHttp) {
  const groups = (): Promise<DirectoryGroup[]> =>
    readWhole({
      title: 'groups',
      sorted: true,
      readPage: v2Pages(http, '/v2/usergroups', GroupsAnswer, { sort: 'id' }),
    });

  /** Adds names and membership, which the directory leaves out. */
  async function membershipsOfUser(id: string): Promise<GroupOfUser[] | undefined> {
    const parents = await orUndefined(
      readEach({
        title: 'a user’s groups',
        sorted: false,
        readPage: v2Pages(http, `/v2/users/${id}/memberof`, ParentsAnswer),
      }),
    );
    if (!parents) return undefined;
    const ids = everyRow(system, parents)
      .filter(({ type }) => type === 'user_group')
      .map(parent => parent.id);
    const known = new Map(ids.length === 0 ? [] : (await groups()).map(group => [group.id, group]));
    return ids.map(groupId => ({
      id: groupId,
      name: known.get(groupId)?.name ?? null,
      membership: known.get(groupId)?.membership ?? null,
    }));
  }

  return {
    groups,

    /** Sorted by id. */
    groupsPage: async (range: Range): Promise<Page<DirectoryGroup>> => cutRange(await groups(), range),

    /** @returns undefined when there is no such user */
    membershipsOfUser,

    /** @returns undefined when there is no such user */
    groupsOfUser: async (id: string): Promise<{ id: string; name: string | null }[] | undefined> =>
      (await membershipsOfUser(id))?.map(({ id: groupId, name }) => ({ id: groupId, name })),

    /** @returns false when the user was not a member */
    removeFromGroup(groupId: string, userId: string): Promise<boolean> {
      const path = `/v2/usergroups/${groupId}/members`;
      const json = { op: 'remove', type: 'user', id: userId };
      return orFalse(http.call({ class: 'set', method: 'POST', path, json, answer: z.unknown() }));
    },
  };
}

const userList = (http: SystemHttp): PagedList<DirectoryUser> => ({
  title: 'users',
  // Without an order, pages lose rows (vendor's advice).
  sorted: true,
  async readPage({ offset, limit }) {
    const query = { sort: '_id', limit, skip: offset };
    const { results, totalCount } = await http.get('/systemusers', UsersAnswer, query);
    return { items: results, total: totalCount };
  },
});

/** The search has no parameter `sort`. */
function searchList(
  http: SystemHttp,
  { text, exactly = {} }: UserSearch,
  answer: typeof UsersAnswer = UsersAnswer,
): PagedList<DirectoryUser> {
  const names = new Map<string, string>(Object.entries(userNames));
  const filter = Object.entries(exactly).flatMap(([field, value]) =>
    value === undefined ? [] : [{ [names.get(field) ?? field]: value }],
  );
  const wanted = {
    ...(filter.length > 0 && { filter: { and: filter } }),
    ...(text && {
      searchFilter: { searchTerm: text.words, fields: text.fields.map(field => userNames[field]) },
    }),
  };
  return {
    title: 'matching users',
    sorted: false,
    async readPage({ offset, limit }) {
      const { results, totalCount } = await http.call({
        class: 'read',
        method: 'POST',
        path: '/search/systemusers',
        json: { ...wanted, limit, skip: offset },
        answer,
      });
      return { items: results, total: totalCount };
    },
  };
}
