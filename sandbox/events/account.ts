/** The token's user and organisation. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export const organizationId = '5550001';

export function isAuthorised({ headers, query }: FastifyRequest): boolean {
  const given = headers.authorization?.replace(/^Bearer /, '');
  const inQuery = typeof query === 'object' && query !== null && 'token' in query ? query.token : undefined;
  return (given ?? inQuery) === 'sandbox';
}

export const rejectToken = (reply: FastifyReply) =>
  reply.code(400).send({
    status_code: 400,
    error: 'INVALID_AUTH',
    error_description: 'The OAuth token you provided was invalid.',
  });

export function addAccount(app: FastifyInstance): void {
  app.get('/v3/users/me/', () => ({
    id: '770001',
    name: 'Meridian Palm Events',
    first_name: 'Meridian Palm',
    last_name: 'Events',
    is_public: false,
    image_id: null,
    emails: [{ email: 'events@meridianpalm.example', verified: true, primary: true }],
  }));
  app.get('/v3/users/me/organizations/', () => ({
    pagination: { object_count: 1, page_number: 1, page_size: 50, page_count: 1, has_more_items: false },
    organizations: [{ id: organizationId, name: 'Meridian Palm', vertical: 'default', image_id: null }],
  }));
}
