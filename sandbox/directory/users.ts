/** API v1: lists, searches, reads, changes and deletes system users, and expires passwords. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Collection } from '../kit/collection.ts';
import { DirectoryError, filterRows, type Pager, pageOf, selectFields, textOf, wordsOf } from './list-query.ts';
import type { SystemUser } from './seed-users.ts';

type ListRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>;
type UserRequest = FastifyRequest<{ Params: { id: string } }>;

const Exact = z.record(z.string(), z.unknown());
/** The search has no `sort`; like other unknown members, it is ignored. */
const Search = z.object({
  filter: z.union([z.array(Exact), z.object({ and: z.array(Exact) }), z.object({ or: z.array(Exact) })]).optional(),
  searchFilter: z
    .object({ searchTerm: z.union([z.string(), z.array(z.string())]), fields: z.array(z.string()).min(1) })
    .optional(),
  fields: z.string().optional(),
  limit: z.number().optional(),
  skip: z.number().optional(),
});
type Search = z.infer<typeof Search>;

const Change = z.looseObject({
  state: z.enum(['STAGED', 'ACTIVATED', 'SUSPENDED']).optional(),
  suspended: z.boolean().optional(),
});

interface UserList {
  pager: Pager;
  isMessy: () => boolean;
}

/** One user in 40 is in a state that the vendor does not document. */
const messyUser = (user: SystemUser): object =>
  Number.parseInt(user._id.slice(-4), 16) % 40 === 3 ? { ...user, state: 'PASSWORD_PENDING' } : user;

export function addUsers(app: FastifyInstance, users: Collection<SystemUser>, { pager, isMessy }: UserList): void {
  const served = (user: SystemUser): object => (isMessy() ? messyUser(user) : user);
  const found = (id: string): SystemUser => {
    const user = users.get(id);
    if (user) return user;
    throw new DirectoryError(404, 'Not Found');
  };
  const answer = (rows: readonly SystemUser[], query: Record<string, unknown>) => ({
    totalCount: rows.length,
    results: pager
      .pageRows(rows, query, ({ _id }) => void users.delete(_id))
      .map(user => selectFields(served(user), wordsOf(query.fields), '_id')),
  });

  app.get('/systemusers', ({ query }: ListRequest) => {
    pageOf(query);
    const term = String(query.search ?? '').toLowerCase();
    const rows = users.all().filter(user => term === '' || containsAny(user, [term], defaultSearchFields));
    return answer(filterRows(rows, query.filter), query);
  });

  app.post('/search/systemusers', ({ body }) => {
    const search = Search.safeParse(body ?? {});
    if (!search.success) throw new DirectoryError(400, 'Bad Request: invalid search');
    const { filter, searchFilter, ...query } = search.data;
    pageOf(query);
    return answer(
      users.all().filter(user => matchesFilter(user, filter) && matchesSearch(user, searchFilter)),
      query,
    );
  });

  app.get('/systemusers/:id', ({ params }: UserRequest) => served(found(params.id)));
  app.put('/systemusers/:id', ({ params, body }: UserRequest) => {
    const user = found(params.id);
    const change = Change.safeParse(body);
    if (!change.success) throw new DirectoryError(400, 'Bad Request: invalid state');
    users.put(changed(user, change.data));
    return served(found(params.id));
  });
  app.delete('/systemusers/:id', ({ params }: UserRequest) => {
    const user = found(params.id);
    users.delete(params.id);
    return user;
  });
  app.post('/systemusers/:id/expire', async ({ params }: UserRequest) => {
    users.put({ ...found(params.id), password_expired: true });
    return null;
  });
}

/** `state` takes precedence over the older `suspended`. A null clears a field, which is then absent. */
function changed(user: SystemUser, { state, suspended, ...given }: z.infer<typeof Change>): SystemUser {
  const fields = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
  const newState = state ?? (suspended === undefined ? user.state : suspended ? 'SUSPENDED' : 'ACTIVATED');
  return withState({ ...user, ...fields, _id: user._id }, newState);
}

export const withState = (user: SystemUser, state: SystemUser['state']): SystemUser => ({
  ...user,
  state,
  suspended: state === 'SUSPENDED',
  activated: state === 'ACTIVATED',
});

const defaultSearchFields = ['username', 'email', 'firstname', 'lastname', 'displayname'];

const containsAny = (user: SystemUser, terms: readonly string[], fields: readonly string[]): boolean =>
  terms.some(term => fields.some(field => textOf(user, field).toLowerCase().includes(term.toLowerCase())));

const matchesSearch = (user: SystemUser, filter: Search['searchFilter']): boolean =>
  !filter || containsAny(user, [filter.searchTerm].flat(), filter.fields);

function matchesFilter(user: SystemUser, filter: Search['filter']): boolean {
  if (!filter) return true;
  const holds = (wanted: Record<string, unknown>) =>
    Object.entries(wanted).every(([field, value]) => textOf(user, field) === String(value));
  if (Array.isArray(filter)) return filter.every(holds);
  return 'or' in filter ? filter.or.some(holds) : filter.and.every(holds);
}
