/** The directory's users: listed, searched, read, suspended. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { didFind, orUndefined } from '../kit/optional.ts';
import { UpstreamError } from '../kit/upstream-error.ts';
import { type Page, type Range, readRange, readWhole } from './paging.ts';
import { type DirectoryUser, type TargetState, UserAnswer, UsersAnswer } from './wire.ts';

export interface UserSearch {
  /** Part of any of the fields, whatever its case. */
  text?: { words: string; fields: readonly SearchedField[] };
  /** All of them, exactly. */
  exactly?: Partial<Record<ExactField, string | undefined>>;
}

/** Our names of fields that can be searched, and the directory's. */
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
  async function list({ offset, limit }: Range): Promise<Page<DirectoryUser>> {
    const { results, totalCount } = await http.call({
      class: 'read',
      method: 'GET',
      path: '/systemusers',
      // Without an order, rows go missing between pages (vendor's advice).
      query: { sort: '_id', limit, skip: offset },
      answer: UsersAnswer,
    });
    return { items: results, total: totalCount };
  }

  async function searchOnce(
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

  return {
    /** @throws UpstreamError when users are missing, counted against the total, also at a second reading */
    async users(): Promise<DirectoryUser[]> {
      for (let tries = 1; ; tries += 1) {
        const { items, total } = await readWhole(list);
        const distinct = [...new Map(items.map(user => [user.id, user])).values()];
        if (distinct.length >= total) return distinct;
        if (tries === 2) throw incomplete(distinct.length, total);
      }
    },

    usersPage: (range: Range): Promise<Page<DirectoryUser>> => readRange(range, list),

    searchUsers: (search: UserSearch, range: Range): Promise<Page<DirectoryUser>> =>
      readRange(range, piece => searchOnce(search, piece)),

    user: (id: string): Promise<DirectoryUser | undefined> =>
      orUndefined(
        http.call({ class: 'read', method: 'GET', path: `/systemusers/${id}`, answer: UserAnswer }),
      ),

    /** The e-mail as a whole, whatever its case; the directory keeps it as it was typed. */
    async usersByEmail(email: string): Promise<DirectoryUser[]> {
      const wanted = email.trim().toLowerCase();
      const search: UserSearch = { text: { words: wanted, fields: ['email'] } };
      const { items } = await readWhole(range => searchOnce(search, range));
      return items.filter(user => user.email === wanted);
    },

    /** @returns the user as the directory has it then; undefined when there is none */
    setState: (id: string, state: TargetState): Promise<DirectoryUser | undefined> =>
      orUndefined(
        http.call({
          class: 'set',
          method: 'PUT',
          path: `/systemusers/${id}`,
          json: { state },
          answer: UserAnswer,
        }),
      ),

    /** A later sign-in needs a new password; sessions are not ended. @returns false when there is no such user */
    expirePassword: (id: string): Promise<boolean> =>
      didFind(
        http.call({ class: 'set', method: 'POST', path: `/systemusers/${id}/expire`, answer: z.unknown() }),
      ),
  };
}

const wireName = (field: string): string =>
  new Map<string, string>(Object.entries(exactFields)).get(field) ?? field;

const incomplete = (read: number, total: number): UpstreamError =>
  new UpstreamError(
    'upstream-failed',
    `The identity directory says that it has ${total} users and gave ${read}, twice.`,
    { system: 'directory', passing: true, mayHaveRun: false },
  );
