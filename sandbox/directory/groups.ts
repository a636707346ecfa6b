/** API v2: user groups, their members, and the groups of a user. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { DirectoryError, filterRows, type Pager, pageOf, selectFields, wordsOf } from './list-query.ts';
import type { Membership, UserGroup } from './seed-groups.ts';
import type { SystemUser } from './seed-users.ts';

type ListRequest = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>;

const Change = z.object({ op: z.enum(['add', 'remove']), type: z.literal('user'), id: z.string() });

export interface GroupData {
  users: Collection<SystemUser>;
  groups: Collection<UserGroup>;
  memberships: Collection<Membership>;
  pager: Pager;
  /** Sets the header with the total, which the vendor does not guarantee. */
  sendTotal: (reply: FastifyReply, total: number) => void;
}

export const membershipKey = ({ groupId, userId }: Membership): string => `${groupId} ${userId}`;

export function addGroups(app: FastifyInstance, data: GroupData): void {
  const { users, groups, memberships, pager, sendTotal } = data;
  const removeMembership = (membership: Membership) => void memberships.delete(membershipKey(membership));
  const assertExists = (collection: Collection<unknown>, id: string): void => {
    if (collection.get(id) === undefined) throw new DirectoryError(404, 'Not Found');
  };

  app.get('/v2/usergroups', ({ query }: ListRequest, reply: FastifyReply) => {
    pageOf(query);
    const rows = filterRows(groups.all(), query.filter);
    sendTotal(reply, rows.length);
    const page = pager.pageRows(rows, query, ({ id }) => void groups.delete(id));
    return page.map(group => selectFields(group, wordsOf(query.fields), 'id'));
  });

  app.get('/v2/users/:id/memberof', ({ params, query }: ListRequest, reply: FastifyReply) => {
    assertExists(users, params.id);
    const rows = memberships.all().filter(({ userId }) => userId === params.id);
    sendTotal(reply, rows.length);
    return pager.cutPage(rows, pageOf(query), removeMembership).map(({ groupId: id }) => ({
      type: 'user_group',
      id,
      compiledAttributes: {},
      paths: [[{ to: { id, type: 'user_group' } }]],
    }));
  });

  app.get('/v2/usergroups/:id/members', ({ params, query }: ListRequest, reply: FastifyReply) => {
    assertExists(groups, params.id);
    const rows = memberships.all().filter(({ groupId }) => groupId === params.id);
    sendTotal(reply, rows.length);
    return pager.cutPage(rows, pageOf(query), removeMembership).map(({ userId: id }) => ({ to: { id, type: 'user' } }));
  });

  app.post('/v2/usergroups/:id/members', ({ params, body }: ListRequest, reply: FastifyReply) => {
    assertExists(groups, params.id);
    const change = Change.safeParse(body);
    if (!change.success) throw new DirectoryError(400, 'Invalid argument');
    assertExists(users, change.data.id);
    const membership = { groupId: params.id, userId: change.data.id };
    const isMember = memberships.get(membershipKey(membership)) !== undefined;
    if (change.data.op === 'add' && isMember) throw new DirectoryError(409, 'Already Exists');
    if (change.data.op === 'remove' && !isMember) throw new DirectoryError(404, 'Not Found');
    if (change.data.op === 'add') memberships.put(membership);
    else memberships.delete(membershipKey(membership));
    return reply.code(204).send();
  });
}
