/** The token's user and organisation. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Pager, rejectContinuation } from './pager.ts';

export const organizationId = '5550001';

interface AccountSettings {
  organizations: number;
  pageSize: number;
}

export function isAuthorised({ headers, query }: FastifyRequest): boolean {
  const given = headers.authorization?.replace(/^Bearer /, '');
  const inQuery = typeof query === 'object' && query !== null && 'token' in query ? query.token : undefined;
  return (given ?? inQuery) === 'sandbox';
}

export const rejectToken = (reply: FastifyReply) =>
  reply
    .code(400)
    .send({ status_code: 400, error: 'INVALID_AUTH', error_description: 'The OAuth token you provided was invalid.' });

export function addAccount(app: FastifyInstance, settings: Readonly<AccountSettings>, pager: Pager): void {
  app.get('/v3/users/me/', () => ({
    id: '770001',
    name: 'Meridian Palm Events',
    first_name: 'Meridian Palm',
    last_name: 'Events',
    is_public: false,
    image_id: null,
    emails: [{ email: 'events@meridianpalm.example', verified: true, primary: true }],
  }));
  app.get('/v3/users/me/organizations/', (request, reply) => {
    const all = Array.from({ length: settings.organizations }, (_, index) => ({
      id: String(Number(organizationId) + index),
      name: index === 0 ? 'Meridian Palm' : `Meridian Palm ${index + 1}`,
      vertical: 'default',
      image_id: null,
    }));
    const page = pager.cutPage(all, request.query);
    return page ? { pagination: page.pagination, organizations: page.rows } : rejectContinuation(reply);
  });
}
