/** The directory's groups, and who belongs to them. */
import { z } from 'zod';
import type { SystemHttp } from '../kit/http.ts';
import { didFind, orUndefined } from '../kit/optional.ts';
import { type Range, readHeadedPage, readRange, readWhole } from './paging.ts';
import { GroupsAnswer, ParentsAnswer } from './wire.ts';

export function openGroups(http: SystemHttp) {
  const page = (range: Range) =>
    readHeadedPage(
      http,
      { class: 'read', method: 'GET', path: '/v2/usergroups', query: { sort: 'id' }, answer: GroupsAnswer },
      range,
    );
  const groups = async () => (await readWhole(page)).items;

  return {
    groups,
    groupsPage: (range: Range) => readRange(range, page),

    /** With names, which the directory leaves out. @returns undefined when there is no such user */
    async groupsOfUser(id: string): Promise<{ id: string; name: string | null }[] | undefined> {
      const path = `/v2/users/${id}/memberof`;
      const call = { class: 'read', method: 'GET', path, answer: ParentsAnswer } as const;
      const parents = await orUndefined(readWhole(range => readHeadedPage(http, call, range)));
      if (!parents) return undefined;
      const ids = parents.items.filter(({ type }) => type === 'user_group').map(parent => parent.id);
      const names =
        ids.length === 0 ? new Map() : new Map((await groups()).map(group => [group.id, group.name]));
      return ids.map(groupId => ({ id: groupId, name: names.get(groupId) ?? null }));
    },

    /** @returns false when the user was no member */
    removeFromGroup: (groupId: string, userId: string): Promise<boolean> =>
      didFind(
        http.call({
          class: 'set',
          method: 'POST',
          path: `/v2/usergroups/${groupId}/members`,
          json: { op: 'remove', type: 'user', id: userId },
          answer: z.unknown(),
        }),
      ),
  };
}
