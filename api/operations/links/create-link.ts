/** A link to a project's page and a campaign's link are made in the same way. */

import { defineOperation } from '../../http/operation.ts';
import { askedLink, createLink, LinkBody, LinkQuery, LinkResource } from './link-resource.ts';

const request = {
  query: LinkQuery,
  body: LinkBody.optional().describe('Instead of the query parameters; both at once are refused.'),
};
const answers = {
  201: { description: 'The link.', schema: LinkResource },
  200: { description: 'With `findExisting`: an equal link that was there.', schema: LinkResource },
};

export default [
  defineOperation({
    summary: 'Create a project link, from query parameters or from a JSON payload.',
    id: 'links.createProject',
    method: 'POST',
    path: '/apps/links/v1/projects',
    scope: 'links:write',
    idempotent: true,
    request,
    answers,
    handle: async ({ query, body }, call) => createLink('project', askedLink(query, body), call),
  }),
  defineOperation({
    summary:
      'Create a campaign link, from query parameters or from a JSON payload; with `parentId`, a further link of a campaign.',
    id: 'links.createCampaign',
    method: 'POST',
    path: '/apps/links/v1/campaigns',
    scope: 'links:write',
    idempotent: true,
    request,
    answers,
    handle: async ({ query, body }, call) => createLink('campaign', askedLink(query, body), call),
  }),
];
