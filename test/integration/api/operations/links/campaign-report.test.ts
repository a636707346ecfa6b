/** Click analytics of a campaign: the JSON answer and the report page in a browser. */
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LinkResource } from '../../../../../api/operations/links/link-resource.ts';
import { clickTable } from '../../../../../core/domain/links/schema.ts';
import { browsers, openLink } from '../../../../support/link-clicks.ts';
import { sharedBrowser } from '../../../../support/shared-browser.ts';
import { useClient, useService } from '../../../../support/test-service.ts';

const campaigns = '/apps/links/v1/campaigns';
const dubaiAhead = 4 * 3_600_000;
const hostile = '<img src=x onerror=alert(1)>"\'&';
type ClickRow = typeof clickTable.$inferInsert;

const service = useService('campaign-report');
const marketing = useClient(service, ['links:read', 'links:write']);
let browser: Browser;
let campaign: LinkResource;
let story: LinkResource;

async function create(body: object): Promise<LinkResource> {
  return LinkResource.parse((await marketing.request('POST', campaigns, { body })).body);
}

beforeAll(async () => {
  campaign = await create({
    name: `Palm launch ${hostile}`,
    url: 'https://example.com/palm',
    slug: 'palm-launch',
  });
  story = await create({ name: 'Instagram story', url: 'https://example.com/palm', parentId: campaign.id });
  browser = await sharedBrowser();
});

/** Inserts past clicks directly into the table. */
async function insertClicks(...clicks: Partial<ClickRow>[]): Promise<void> {
  const base = {
    linkId: campaign.id,
    class: 'human' as const,
    scanned: false,
    country: 'AE',
    referrer: null,
    device: 'mobile' as const,
    browser: 'Safari',
  };
  await service.database
    .insert(clickTable)
    .values(clicks.map(click => ({ at: new Date(), visitor: crypto.randomUUID(), ...base, ...click })));
}

const clicks = async (query: Record<string, string>, id = campaign.id) =>
  await marketing.request('GET', `${campaigns}/${id}/clicks?${new URLSearchParams(query)}`);

describe('GET /campaigns/{id}/clicks', () => {
  it('groups the clicks on the campaign’s link and its child links by every dimension', async () => {
    for (const [slug, headers] of [
      [campaign.slug, { referer: 'https://www.instagram.com/p/1' }],
      [campaign.slug, { 'user-agent': browsers.windows }],
      [story.slug, { referer: 'https://l.instagram.com/' }],
      [story.slug, { 'user-agent': 'WhatsApp/2.23.20.0 A' }],
      [story.slug, { 'user-agent': 'curl/8' }],
    ] as const) {
      await openLink(`${service.origin}/r/${slug}`, headers);
    }
    await openLink(`${service.origin}/r/${story.slug}?via=qr`);
    await expect.poll(async () => (await clicks({})).body).toMatchObject({ total: 4, bots: 1, previews: 1 });

    const { body } = await clicks({});
    expect(body).toMatchObject({ id: campaign.id, timeZone: 'Asia/Dubai', unique: 2, scans: 1, prefetches: 0 });
    expect(body).toMatchObject({
      byDay: [{ clicks: 4, unique: 2 }],
      byReferrer: [
        { referrer: null, clicks: 2 },
        { referrer: 'instagram.com', clicks: 1 },
        { referrer: 'l.instagram.com', clicks: 1 },
      ],
      byCountry: [{ country: null, clicks: 4 }],
      byDevice: [
        { device: 'mobile', clicks: 3 },
        { device: 'desktop', clicks: 1 },
      ],
      byLink: [
        { id: story.id, name: 'Instagram story', clicks: 2 },
        { id: campaign.id, slug: 'palm-launch', clicks: 2 },
      ],
      lastCountedAt: expect.any(String),
    });
  });

  it('assigns clicks to days of the time zone and lists days without clicks as 0', async () => {
    const campaign = await create({ name: 'By day', url: 'https://example.com/day' });
    await insertClicks(
      { linkId: campaign.id, at: new Date('2026-03-01T19:59:59Z') },
      { linkId: campaign.id, at: new Date('2026-03-01T20:00:00Z') },
      { linkId: campaign.id, at: new Date('2026-03-03T23:59:59Z') },
    );
    const range = { from: '2026-03-01', to: '2026-03-04' };
    const dubai = await clicks(range, campaign.id);
    expect(dubai.body).toMatchObject({
      total: 3,
      byDay: [
        { day: '2026-03-01', clicks: 1 },
        { day: '2026-03-02', clicks: 1 },
        { day: '2026-03-03', clicks: 0 },
        { day: '2026-03-04', clicks: 1 },
      ],
    });
    const utc = await clicks({ ...range, timeZone: 'UTC' }, campaign.id);
    expect(utc.body).toMatchObject({ byDay: [{ clicks: 2 }, { clicks: 0 }, { clicks: 1 }, { clicks: 0 }] });
    const hour = await clicks({ from: '2026-03-01T20:00:00Z', to: '2026-03-01T21:00:00Z' }, campaign.id);
    expect(hour.body).toMatchObject({ total: 1, byDay: [{ day: '2026-03-02', clicks: 1 }] });
  });

  it.each([
    [{ timeZone: 'Dubai' }, '/timeZone'],
    [{ from: 'yesterday' }, '/from'],
    [{ from: '2026-02-30' }, '/from'],
    [{ from: '2026-03-02', to: '2026-03-01' }, '/to'],
    [{ from: '2000-01-01', to: '2026-03-01' }, '/from'],
  ])('returns 422 with a pointer to the error for %j', async (query, pointer) => {
    const answer = await clicks(query);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ errors: [{ pointer, in: 'query' }] });
  });

  it('returns 404 for a link of another kind and for an unknown id', async () => {
    const project = await marketing.request('POST', '/apps/links/v1/projects', {
      body: { name: 'P', url: 'https://example.com' },
    });
    expect((await clicks({}, LinkResource.parse(project.body).id)).status).toBe(404);
    expect((await clicks({}, 'nothing')).status).toBe(404);
  });
});

describe('the report page', () => {
  const day = 86_400_000;
  let report: LinkResource;
  let url: string;

  beforeAll(async () => {
    report = await create({
      name: `Creek Harbour ${hostile}`,
      url: 'https://example.com/creek',
      slug: 'creek',
    });
    const stories = await create({
      name: 'Instagram story',
      url: 'https://example.com/creek',
      parentId: report.id,
    });
    const past: Partial<ClickRow>[] = [];
    for (let back = 0; back < 30; back++) {
      const many = Math.round(14 + 11 * Math.sin(back / 2.4) + (back % 7 === 0 ? 9 : 0));
      for (let one = 0; one < many; one++) {
        past.push({
          linkId: one % 3 === 0 ? stories.id : report.id,
          at: new Date(Date.now() - back * day),
          scanned: one % 5 === 0,
          country: ['AE', 'AE', 'GB', 'IN', 'SA', null][one % 6] ?? null,
          referrer: [null, 'instagram.com', 'google.com', hostile][one % 4] ?? null,
          device: (['mobile', 'mobile', 'desktop', 'tablet'] as const)[one % 4] ?? null,
          browser: ['Safari', 'Chrome', 'Instagram'][one % 3] ?? null,
          visitor: `00000000-0000-4000-8000-${String(back * 100 + (one % Math.ceil(many * 0.7))).padStart(12, '0')}`,
        });
      }
      past.push({ linkId: report.id, at: new Date(Date.now() - back * day), class: 'preview' });
    }
    await insertClicks(...past);
    const made = await marketing.request('POST', `${campaigns}/${report.id}/report-links`, { body: {} });
    // The report's days begin in Dubai, four hours ahead of UTC.
    const from = new Date(Date.now() - 29 * day + dubaiAhead).toISOString().slice(0, 10);
    url = `${z.object({ url: z.string() }).parse(made.body).url.replace('http://portal.example', service.origin)}&from=${from}`;
  });

  /** Opens a page and collects its script errors, console messages, dialogs and further requests. */
  async function open(
    address: string,
    width = 1_280,
    locale = 'en-GB',
  ): Promise<{ page: Page; status: number | undefined; errors: string[] }> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      locale,
      deviceScaleFactor: width < 500 ? 2 : 1,
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', error => errors.push(error.message));
    page.on('console', message => errors.push(message.text()));
    page.on('dialog', dialog => errors.push(dialog.message()));
    page.on('request', request => request.isNavigationRequest() || errors.push(request.url()));
    const answer = await page.goto(address);
    return { page, status: answer?.status(), errors };
  }

  it('opens with its signed link and shows figures, a plot and tables', async () => {
    const { page, status, errors } = await open(url);
    expect(status).toBe(200);
    await expect(page.title()).resolves.toContain('Creek Harbour');
    const bars = page.locator('.bars rect');
    expect(await bars.count()).toBe(30);
    const heights = await bars.evaluateAll(all => all.map(bar => bar.getBoundingClientRect().height));
    expect(heights.every(height => height > 5)).toBe(true);
    expect(await page.locator('.plot').getAttribute('aria-labelledby')).toBe('plot-title plot-text');
    for (const name of ['Links', 'Referrers', 'Countries', 'Devices', 'Browsers']) {
      await page.getByRole('heading', { name }).waitFor();
    }
    const cells = await page.getByRole('row').allTextContents();
    expect(cells.join('\n')).toMatch(/United Arab Emirates[\s\S]*Phone[\s\S]*Instagram/);
    // The content security policy allows the style sheet by its hash; the page requests nothing else.
    expect(await page.evaluate(() => getComputedStyle(document.body).margin)).toBe('0px');
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('escapes values from requests', async () => {
    const { page, errors } = await open(url);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('.referrers tbody').textContent()).toContain(hostile);
    expect(await page.locator('h1').textContent()).toBe(`Creek Harbour ${hostile}`);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  it('shows other days with the same link', async () => {
    const { page } = await open(url);
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel('From').fill(new Date(Date.now() - 6 * day).toISOString().slice(0, 10));
    await page.getByLabel('To', { exact: true }).fill(today);
    await page.getByLabel('Time zone').selectOption('UTC');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.locator('.bars rect').count()).toBe(7);
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(today);
    await page.context().close();
  });

  it.each([1_280, 390])('fits a window of %i pixels', async width => {
    const { page } = await open(url, width);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await saveScreenshot(page, `report-${width}`);
    await page.context().close();
  });

  it.each([1_280, 390])('is in Arabic from right to left for a browser in Arabic, %i pixels', async width => {
    const { page, status, errors } = await open(url, width, 'ar-AE');
    expect(status).toBe(200);
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      'ar',
      'rtl',
    ]);
    for (const name of ['الروابط', 'الدول', 'الأجهزة']) await page.getByRole('heading', { name }).waitFor();
    expect(await page.textContent('main')).toMatch(/الإمارات العربية المتحدة[\s\S]*هاتف/);
    const english = /\b(Clicks|Unique|Show|Unknown|counted|visitors)\b/;
    expect(await page.textContent('body')).not.toMatch(english);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    expect(errors).toEqual([]);
    await saveScreenshot(page, `report-ar-${width}`);
    await page.getByRole('button', { name: 'عرض' }).click();
    await page.getByRole('heading', { name: 'الروابط' }).waitFor();
    await page.context().close();
  });

  it('says in Arabic that a link does not work', async () => {
    const headers = { accept: 'text/html', 'accept-language': 'ar' };
    const answer = await fetch(url.replace(/&signature=[^&]+/, ''), { headers });
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('هذا الرابط لا يعمل')]);
  });

  it('shows a message when the campaign has no clicks', async () => {
    const none = await create({ name: 'Not yet', url: 'https://example.com/none' });
    const address = `${service.origin}/v2${campaigns}/${none.id}/report`;
    const answer = await fetch(address, { headers: { authorization: `Bearer ${marketing.accessToken}` } });
    expect(await answer.text()).toContain('No clicks in these days.');
  });

  it('returns 401 for a modified link and 410 for an expired one', async () => {
    const changed = url.replace(/expires=(\d)/, (_, digit) => `expires=${(Number(digit) + 1) % 10}`);
    const another = url.replace(report.id, campaign.id);
    const unsigned = url.replace(/&signature=[^&]+/, '');
    for (const address of [changed, another, unsigned]) {
      const { page, status } = await open(address);
      expect(status).toBe(401);
      expect(await page.textContent('body')).not.toContain('Creek Harbour');
      await page.context().close();
    }
    const made = await marketing.request('POST', `${campaigns}/${report.id}/report-links`, {
      body: { expiresInSeconds: 1 },
    });
    const brief = z.object({ url: z.string() }).parse(made.body).url.replace('http://portal.example', service.origin);
    await expect.poll(async () => (await fetch(brief)).status).toBe(410);
  });

  it('returns 422 with the error on a page for invalid days', async () => {
    const { page, status } = await open(`${url}&to=2020-01-01`);
    expect(status).toBe(422);
    await page.getByText('to must be after from.').waitFor();
    await page.context().close();
  });
});

/** Saves a screenshot when REPORT_PICTURES names a folder. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.REPORT_PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: `${folder}/${name}-dark.png`, fullPage: true });
}
