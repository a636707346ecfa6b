/** The directory's users and groups. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { orFalse, orUndefined, readComplete } from '../kit/upstream-error.ts';
import { type Page, type Range, readPageWithTotal, readRange, readWhole } from './paging.ts';
import {
  type DirectoryUser,
  GroupsAnswer,
  ParentsAnswer,
  type TargetState,
  UserAnswer,
  UsersAnswer,
} from './wire.ts';

export interface UserSearch {
  /** Part of any of the fields, in any case. */
  text?: { words: string; fields: readonly SearchedField[] };
  /** All of them must be equal. */
  exactly?: Partial<Record<ExactField, string | undefined>>;
}

/** Our names of searchable fields → the directory's. */
const searchedFields = {
  username: 'username',
  email: 'email',
  firstName: 'firstname',
  lastName: 'lastname',
  displayName: 'displayname',
  employeeNumber: 'employeeIdentifier',
  department: 'department',
  jobTitle: 'jobTitle',
} as const;
export type SearchedField = keyof typeof searchedFields;

const exactFields = { ...searchedFields, state: 'state', company: 'company', office: 'location' } as const;
type ExactField = keyof typeof exactFields;

export function openUsers(http: SystemHttp) {
  const list = (range: Range) => listUsers(http, range);
  const search = (wanted: UserSearch) => (range: Range) => searchUsers(http, wanted, range);

  return {
    /** All of them. @throws UpstreamError when users are missing */
    users: (): Promise<DirectoryUser[]> =>
      readComplete(directory, 'users', async () => {
        const { items, total } = await readWhole(list);
        return { items: [...new Map(items.map(user => [user.id, user])).values()], total };
      }),

    usersPage: (range: Range): Promise<Page<DirectoryUser>> => readRange(range, list),

    searchUsers: (wanted: UserSearch, range: Range): Promise<Page<DirectoryUser>> =>
      readRange(range, search(wanted)),

    user: (id: string): Promise<DirectoryUser | undefined> =>
      orUndefined(http.get(`/systemusers/${id}`, UserAnswer)),

    /** Compares whole e-mails in lower case; the directory stores them as typed. */
    async usersByEmail(email: string): Promise<DirectoryUser[]> {
      const wanted = email.trim().toLowerCase();
      const { items } = await readWhole(search({ text: { words: wanted, fields: ['email'] } }));
      return items.filter(user => user.email === wanted);
    },

    /** @returns the changed user; undefined when there is none */
    setState: (id: string, state: TargetState): Promise<DirectoryUser | undefined> => {
      const path = `/systemusers/${id}`;
      return orUndefined(
        http.call({ class: 'set', method: 'PUT', path, json: { state }, answer: UserAnswer }),
      );
    },

    /** The next sign-in needs a new password; sessions do not end. @returns false when there is no such user */
    expirePassword: (id: string): Promise<boolean> =>
      orFalse(
        http.call({ class: 'set', method: 'POST', path: `/systemusers/${id}/expire`, answer: z.unknown() }),
      ),
  };
}

export function openGroups(http: SystemHttp) {
  const page = (range: Range) =>
    readPageWithTotal(http, { path: '/v2/usergroups', query: { sort: 'id' }, answer: GroupsAnswer }, range);
  const groups = async () => (await readWhole(page)).items;

  return {
    groups,
    groupsPage: (range: Range) => readRange(range, page),

    /** Adds the names, which the directory leaves out. @returns undefined when there is no such user */
    async groupsOfUser(id: string): Promise<{ id: string; name: string | null }[] | undefined> {
      const call = { path: `/v2/users/${id}/memberof`, answer: ParentsAnswer };
      const parents = await orUndefined(readWhole(range => readPageWithTotal(http, call, range)));
      if (!parents) return undefined;
      const ids = parents.items.filter(({ type }) => type === 'user_group').map(parent => parent.id);
      const names =
        ids.length === 0 ? new Map() : new Map((await groups()).map(group => [group.id, group.name]));
      return ids.map(groupId => ({ id: groupId, name: names.get(groupId) ?? null }));
    },

    /** @returns false when the user was not a member */
    removeFromGroup(groupId: string, userId: string): Promise<boolean> {
      const path = `/v2/usergroups/${groupId}/members`;
      const json = { op: 'remove', type: 'user', id: userId };
      return orFalse(http.call({ class: 'set', method: 'POST', path, json, answer: z.unknown() }));
    },
  };
}

const directory = { name: 'directory', title: 'The identity directory' };

async function listUsers(http: SystemHttp, { offset, limit }: Range): Promise<Page<DirectoryUser>> {
  // Without an order, pages lose rows (vendor's advice).
  const query = { sort: '_id', limit, skip: offset };
  const { results, totalCount } = await http.get('/systemusers', UsersAnswer, query);
  return { items: results, total: totalCount };
}

async function searchUsers(
  http: SystemHttp,
  { text, exactly = {} }: UserSearch,
  { offset, limit }: Range,
): Promise<Page<DirectoryUser>> {
  const filter = Object.entries(exactly).flatMap(([field, value]) =>
    value === undefined ? [] : [{ [wireName(field)]: value }],
  );
  const { results, totalCount } = await http.call({
    class: 'read',
    method: 'POST',
    path: '/search/systemusers',
    json: {
      ...(filter.length > 0 && { filter: { and: filter } }),
      ...(text && {
        searchFilter: { searchTerm: text.words, fields: text.fields.map(field => searchedFields[field]) },
      }),
      sort: '_id',
      limit,
      skip: offset,
    },
    answer: UsersAnswer,
  });
  return { items: results, total: totalCount };
}

const wireName = (field: string): string =>
  new Map<string, string>(Object.entries(exactFields)).get(field) ?? field;
