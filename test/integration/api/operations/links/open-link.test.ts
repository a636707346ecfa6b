/** Opening short links: redirect, click classes, stored data, unknown and expired links. */
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ClickTotals, LinkDraft } from '../../../../../core/domain/links/link.ts';
import type { Link } from '../../../../../core/domain/links/rows.ts';
import { newSlug } from '../../../../../core/domain/links/slug.ts';
import { browsers, openLink } from '../../../../support/link-clicks.ts';
import { useService } from '../../../../support/test-service.ts';

const service = useService('open-link', () => ({ env: { TRUST_PROXY: '127.0.0.1' } }));
beforeAll(() => service.redirects.warm);

async function makeLink(given: Partial<LinkDraft> = {}): Promise<Link> {
  const draft: LinkDraft = {
    kind: 'campaign',
    name: 'A',
    url: 'https://example.com/a?b=c',
    clientId: 'me',
    ...given,
  };
  const [made] = await service.links.create([draft]);
  if (!made) throw new Error('no link');
  return made.link;
}
const urlOf = ({ slug }: Pick<Link, 'slug'>, base = ''): string => `${service.origin}${base}/r/${slug}`;
const clicksOf = async ({ id }: Link): Promise<ClickTotals | undefined> => (await service.links.clicks([id])).get(id);

describe('a live link', () => {
  it('redirects to its target at the root and below the base path, ignoring case', async () => {
    const link = await makeLink({ slug: 'Palm-Launch', utm: { source: 'flyer' } });
    for (const url of [urlOf(link), urlOf(link, '/v2'), urlOf({ slug: 'PALM-launch' })]) {
      const answer = await openLink(url);
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toBe('https://example.com/a?b=c&utm_source=flyer');
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
      expect(await answer.text()).toBe('');
    }
    await expect.poll(() => clicksOf(link)).toMatchObject({ total: 3 });
  });

  it('never redirects to an address from the request', async () => {
    const link = await makeLink();
    for (const more of ['?url=https://evil.example', '?via=https://evil.example', '?utm_source=x', '#//evil.example']) {
      expect((await openLink(urlOf(link) + more)).headers.get('location')).toBe('https://example.com/a?b=c');
    }
    for (const path of [
      '/r//evil.example',
      '/r/https://evil.example',
      '/r/%2F%2Fevil.example',
      '/r/..%2f..%2fhealth',
    ]) {
      const answer = await openLink(service.origin + path);
      expect(answer.status, path).toBe(404);
      expect(answer.headers.get('location')).toBeNull();
    }
  });

  it('answers HEAD without counting a click', async () => {
    const link = await makeLink();
    const answer = await openLink(urlOf(link), {}, 'HEAD');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, link.target]);
    await openLink(urlOf(link));
    await expect.poll(() => clicksOf(link)).toEqual({ total: 1, scans: 0, bots: 0, previews: 0, prefetches: 0 });
  });

  it('counts people, scans, bots, link previews and prefetches separately', async () => {
    const link = await makeLink();
    await openLink(urlOf(link));
    await openLink(`${urlOf(link)}?via=qr`);
    await openLink(urlOf(link), { 'user-agent': 'WhatsApp/2.23.20.0 A' });
    await openLink(urlOf(link), { 'user-agent': 'TelegramBot (like TwitterBot)' });
    await openLink(urlOf(link), { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' });
    await openLink(urlOf(link), { 'sec-purpose': 'prefetch;prerender' });
    await expect.poll(() => clicksOf(link)).toEqual({ total: 2, scans: 1, bots: 1, previews: 2, prefetches: 1 });
  });

  it('stores no address, no user agent and no page of the referrer', async () => {
    const link = await makeLink();
    await openLink(urlOf(link), {
      'x-forwarded-for': '94.200.10.20',
      referer: 'https://www.instagram.com/secret-page?user=7',
    });
    await expect.poll(() => clicksOf(link)).toMatchObject({ total: 1 });
    const { rows } = await service.database.execute(sql`select * from click where link_id = ${link.id}`);
    expect(rows).toEqual([
      {
        link_id: link.id,
        at: expect.anything(),
        class: 'human',
        scanned: false,
        visitor: expect.stringMatching(/^[0-9a-f-]{36}$/),
        country: 'AE',
        referrer: 'instagram.com',
        device: 'mobile',
        browser: 'Safari',
      },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/94\.200|secret|iPhone/);
  });

  it('gives equal visitor ids for the same address and browser on one day', async () => {
    const link = await makeLink();
    const visitors = [
      ['94.200.10.20', browsers.iPhone],
      ['94.200.10.20', browsers.iPhone],
      ['94.200.10.20', browsers.windows],
      ['94.200.10.21', browsers.iPhone],
    ];
    for (const [address = '', userAgent = ''] of visitors) {
      await openLink(urlOf(link), { 'x-forwarded-for': address, 'user-agent': userAgent });
    }
    await expect.poll(() => clicksOf(link)).toMatchObject({ total: 4 });
    const { rows } = await service.database.execute(
      sql`select count(distinct visitor)::int as visitors from click where link_id = ${link.id}`,
    );
    expect(rows).toEqual([{ visitors: 3 }]);
  });

  it('redirects to a changed target after the notification', async () => {
    const link = await makeLink();
    expect((await openLink(urlOf(link))).headers.get('location')).toBe(link.target);
    await service.database.execute(sql`update link set target = 'https://example.com/new' where id = ${link.id}`);
    await expect
      .poll(async () => (await openLink(urlOf(link))).headers.get('location'))
      .toBe('https://example.com/new');
  });
});

describe('an unknown or expired link', () => {
  it('returns 404 with a problem document, and with a page for browsers', async () => {
    const program = await openLink(`${service.origin}/r/nothing-here`, { accept: 'application/json' });
    expect(program.status).toBe(404);
    expect(program.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const person = await openLink(`${service.origin}/r/nothing-here`, { accept: 'text/html,*/*' });
    expect([person.status, person.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(person.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(await person.text()).toContain('There is no such link');
  });

  it('redirects as soon as the link is created, although its slug was cached as unknown', async () => {
    const slug = 'coming-soon';
    expect((await openLink(urlOf({ slug }))).status).toBe(404);
    await makeLink({ slug });
    await expect.poll(async () => (await openLink(urlOf({ slug }))).status).toBe(302);
  });

  it('returns 410 after the expiry and counts no click', async () => {
    const link = await makeLink({ expiresAt: new Date(Date.now() + 3_600_000) });
    let answered = 0;
    const open = async (headers?: Record<string, string>): Promise<Response> => {
      const answer = await openLink(urlOf(link), headers);
      if (answer.status === 302) answered++;
      return answer;
    };
    expect((await open()).status).toBe(302);
    await service.database.execute(sql`update link set expires_at = now() - interval '1 second' where id = ${link.id}`);
    await expect.poll(async () => (await open()).status).toBe(410);
    expect(await (await open({ accept: 'text/html' })).text()).toContain('This link has expired');
    await expect.poll(async () => (await clicksOf(link))?.total).toBe(answered);
  });

  it('returns 404 with a suggested slug for one wrong character; never redirects to it', async () => {
    const link = await makeLink();
    const other = link.slug[4] === '7' ? '8' : '7';
    const mistyped = { slug: link.slug.slice(0, 4) + other + link.slug.slice(5) };
    const program = await openLink(urlOf(mistyped));
    expect(program.status).toBe(404);
    expect(await program.json()).toMatchObject({
      detail: `There is no such link. Did you mean ${link.shortUrl}?`,
    });
    const person = await openLink(urlOf(mistyped), { accept: 'text/html' });
    expect(await person.text()).toContain(`<a href="${link.shortUrl}"`);
    expect((await openLink(urlOf({ slug: newSlug('campaign') }))).status).toBe(404);
  });
});

it('serves its own routes even when a slug has the same name', async () => {
  await makeLink({ slug: 'openapi-json' });
  expect((await fetch(`${service.origin}/openapi.json`)).status).toBe(200);
  expect((await fetch(`${service.origin}/openapi-json`)).status).toBe(404);
});

it.each([
  ['ar-AE,ar;q=0.9,en;q=0.5', /<html lang="ar" dir="rtl">[\s\S]*لا يوجد هذا الرابط/],
  ['en-GB,ar;q=0.5', /<html lang="en" dir="ltr">[\s\S]*There is no such link/],
  ['ru', /<html lang="en" dir="ltr">/],
])('the page of an unknown link follows the language of the browser: %s', async (language, expected) => {
  const headers = { accept: 'text/html', 'accept-language': language };
  const answer = await openLink(urlOf({ slug: 'unknown-link' }), headers);
  expect(answer.status).toBe(404);
  expect(answer.headers.get('vary')).toContain('Accept-Language');
  expect(await answer.text()).toMatch(expected);
});
