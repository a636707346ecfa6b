/** Lists project links or campaign links with their child links and clicks. */
import { z } from 'zod';
import { type ClickTotals, type LinkKind, noClicks } from '../../../core/domain/links/link.ts';
import { type Answer, type Call, defineOperation } from '../../http/operation.ts';
import { cutPage, decodeCursor, ListQuery, nextLink, pageSchema } from '../../http/paging.ts';
import { LinkResource, linkExample, linkResource } from './link-resource.ts';

const Totals = z.object({
  total: z.int().describe('Clicks by people.'),
  scans: z.int().describe('Clicks by people through the QR code.'),
  bots: z.int().describe('Requests of bots.'),
  previews: z.int().describe('Link previews of chat apps: about one per share.'),
  prefetches: z.int().describe('Prefetches of browsers.'),
});
const LinkWithClicks = LinkResource.extend({ clicks: Totals.describe('Of this link only.') });
const ListedLink = LinkResource.extend({
  clicks: Totals.describe('Of the link and its child links.'),
  links: z.array(LinkWithClicks).describe('The first 100 child links, oldest first.'),
  linkCount: z.int().describe('Number of child links.'),
});
const LinkList = pageSchema(ListedLink);
const Cursor = z.object({ id: z.uuid() });
const clicksExample = { total: 42, scans: 9, bots: 6, previews: 11, prefetches: 2 };

export const listLinksOperation = (kind: LinkKind, id: string, path: string, summary: string) =>
  defineOperation({
    summary,
    id,
    route: `GET ${path}`,
    scope: 'links:read',
    request: { query: ListQuery },
    answers: {
      200: {
        description: 'A page of links, newest first.',
        schema: LinkList,
        example: {
          items: [{ ...linkExample, clicks: clicksExample, links: [], linkCount: 0 }],
          nextCursor: null,
        },
      },
    },
    handle: async ({ query }, call) => listLinks(kind, query, call),
  });

async function listLinks(kind: LinkKind, query: z.infer<typeof ListQuery>, call: Call): Promise<Answer> {
  const { links } = call.services;
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, Cursor).id;
  const found = await links.list({ kind, limit: query.limit + 1, before });
  const { items: page, nextCursor } = cutPage(found, query.limit, ({ id }) => ({ id }));
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
