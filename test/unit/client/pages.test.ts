import { expect, it } from 'vitest';
import { createPortalClient } from '../../../client/src/index.ts';

const pages: Record<string, { ids: string[]; nextCursor: string | null }> = {
  '': { ids: ['a', 'b'], nextCursor: 'second' },
  second: { ids: [], nextCursor: 'third' },
  third: { ids: ['c'], nextCursor: null },
};

function serviceOf() {
  const queries: Record<string, string>[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    const { pathname, searchParams } = new URL(new Request(input).url);
    if (pathname.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 3_600 });
    queries.push(Object.fromEntries(searchParams));
    const page = pages[searchParams.get('cursor') ?? ''];
    if (!page) return Response.json({ type: 'x', title: 'Gone', status: 410, detail: 'gone' }, { status: 410 });
    return Response.json({ items: page.ids.map(id => ({ id })), nextCursor: page.nextCursor });
  };
  const login = { baseUrl: 'http://portal.example/v2', clientId: 'c', clientSecret: 's' };
  return { client: createPortalClient({ ...login, fetch }), queries };
}

async function idsOf(items: AsyncIterable<{ id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of items) ids.push(id);
  return ids;
}

it('iterates over the items of all pages with the same query, also after an empty page', async () => {
  const { client, queries } = serviceOf();
  expect(await idsOf(client.jobs.list({ kind: 'pdf' }))).toEqual(['a', 'b', 'c']);
  expect(queries).toEqual([{ kind: 'pdf' }, { kind: 'pdf', cursor: 'second' }, { kind: 'pdf', cursor: 'third' }]);
});

it('is its first page when it is awaited', async () => {
  const { client, queries } = serviceOf();
  const page = await client.jobs.list({ limit: 2 });
  expect(page.items.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(page.nextCursor).toBe('second');
  expect(queries).toEqual([{ limit: '2' }]);
});

it('starts at a given cursor', async () => {
  const { client } = serviceOf();
  expect(await idsOf(client.jobs.list({ cursor: 'third' }))).toEqual(['c']);
});

it('requests no page before its items are needed', async () => {
  const { client, queries } = serviceOf();
  for await (const { id } of client.jobs.list()) if (id === 'b') break;
  expect(queries).toEqual([{}]);
});

it('throws the problem of a page that fails', async () => {
  const { client } = serviceOf();
  await expect(idsOf(client.jobs.list({ cursor: 'old' }))).rejects.toMatchObject({
    name: 'PortalProblem',
    status: 410,
  });
});
