/** Creates project links and campaign links. */
import type { LinkKind } from '../../../core/domain/links/link.ts';
import { type Answer, type Call, defineOperation } from '../../http/operation.ts';
import { LinkBody, LinkQuery, requestedLink } from './link-request.ts';
import { LinkResource, linkResource } from './link-resource.ts';

export const createLinkOperation = (kind: LinkKind, id: string, path: string, summary: string) =>
  defineOperation({
    summary,
    id,
    route: `POST ${path}`,
    scope: 'links:write',
    idempotent: true,
    request: {
      query: LinkQuery,
      body: LinkBody.optional().describe('Instead of the query parameters; send only one of them.'),
    },
    answers: {
      201: { description: 'The link.', schema: LinkResource },
      200: { description: 'With `findExisting`: an equal link that already existed.', schema: LinkResource },
    },
    problems: { conflict: 'The slug is taken.' },
    handle: async ({ query, body }, call) => createLink(kind, requestedLink(query, body), call),
  });

async function createLink(kind: LinkKind, asked: LinkBody, { services, client }: Call): Promise<Answer> {
  const { expiresAt, findExisting, ...fields } = asked;
  const draft = {
    ...fields,
    kind,
    clientId: client.clientId,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
  };
  const [made] = await services.links.create([draft], { findExisting });
  if (!made) throw new Error('links.create returned no link');
  return { status: made.created ? 201 : 200, body: linkResource(made.link, services) };
}
