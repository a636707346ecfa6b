/** All project links, and all campaign links: each with what belongs to it and how often it was opened. */
import { z } from 'zod';
import { type ClickTotals, type LinkKind, noClicks } from '../../../core/domain/links/link.ts';
import { type Answer, type Call, defineOperation } from '../../http/operation.ts';
import { decodeCursor, encodeCursor, ListQuery, nextLink } from '../../http/paging.ts';
import { LinkResource, linkExample, linkResource } from './link-resource.ts';

const Totals = z.object({
  total: z.int().describe('By people.'),
  scans: z.int().describe('Those of them that came by the QR code.'),
  bots: z.int(),
  previews: z.int().describe('By chat apps, to show what is behind the link: about one for each share.'),
  prefetches: z.int().describe('By browsers, ahead of their users.'),
});
const LinkWithClicks = LinkResource.extend({ clicks: Totals });
const ListedLink = LinkResource.extend({
  clicks: Totals.describe('Of the link and of those that belong to it.'),
  links: z.array(LinkWithClicks).describe('The first 100 links that belong to it, oldest first.'),
  linkCount: z.int().describe('How many belong to it.'),
});
const LinkList = z.object({ items: z.array(ListedLink), nextCursor: z.string().nullable() });
const Cursor = z.object({ id: z.uuid() });

const request = { query: ListQuery };
const clicks = { total: 42, scans: 9, bots: 6, previews: 11, prefetches: 2 };
const answers = {
  200: {
    description: 'A page of links, newest first.',
    schema: LinkList,
    example: { items: [{ ...linkExample, clicks, links: [], linkCount: 0 }], nextCursor: null },
  },
};

export default [
  defineOperation({
    summary: 'All stored projects with their details, links and clicks.',
    id: 'links.listProjects',
    method: 'GET',
    path: '/apps/links/v1/projects',
    scope: 'links:read',
    request,
    answers,
    handle: async ({ query }, call) => listLinks('project', query, call),
  }),
  defineOperation({
    summary: 'All stored campaigns with their details, short links and clicks.',
    id: 'links.listCampaigns',
    method: 'GET',
    path: '/apps/links/v1/campaigns',
    scope: 'links:read',
    request,
    answers,
    handle: async ({ query }, call) => listLinks('campaign', query, call),
  }),
];

async function listLinks(kind: LinkKind, query: z.infer<typeof ListQuery>, call: Call): Promise<Answer> {
  const { links } = call.services;
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, Cursor).id;
  const found = await links.list({ kind, limit: query.limit + 1, before });
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const nextCursor = found.length > query.limit && last ? encodeCursor({ id: last.id }) : null;
  const [own, families] = await Promise.all([
    links.clicks(page.flatMap(({ id, children }) => [id, ...children.map(child => child.id)])),
    links.familyClicks(page.map(({ id }) => id)),
  ]);
  const totals = (of: ReadonlyMap<string, ClickTotals>, id: string) => ({ ...(of.get(id) ?? noClicks) });
  const items = page.map(({ children, childCount, ...link }) => ({
    ...linkResource(link, call.services),
    clicks: totals(families, link.id),
    links: children.map(child => ({ ...linkResource(child, call.services), clicks: totals(own, child.id) })),
    linkCount: childCount,
  }));
  return { status: 200, headers: nextLink(call.request, nextCursor), body: { items, nextCursor } };
}
