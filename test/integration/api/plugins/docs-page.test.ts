/** The documentation page and the pages of problem types, over HTTP and in a browser. */
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { ErrorCode } from '../../../../core/runtime/errors.ts';
import { findViolations } from '../../../support/find-violations.ts';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { useService } from '../../../support/test-service.ts';

/** A folder for screenshots, for a person to look at. */
const images = process.env.DOCS_PAGE_IMAGES;
const sizes = { desktop: { width: 1_280, height: 900 }, phone: { width: 390, height: 844 } };

const contracts = await discoverContracts();
const service = useService('docs-page', () => ({ contracts }));
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  if (images) mkdirSync(images, { recursive: true });
});

/** Opens an address in a new page. @returns also the requests to other sites */
async function open(
  path: string,
  size: keyof typeof sizes,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ page: Page; elsewhere: string[] }> {
  const page = await browser.newPage({ viewport: sizes[size], colorScheme });
  const elsewhere: string[] = [];
  page.on('request', request => {
    const { protocol, origin } = new URL(request.url());
    if (/^http/.test(protocol) && origin !== service.origin) elsewhere.push(request.url());
  });
  await page.goto(service.origin + path);
  return { page, elsewhere };
}

const shot = async (page: Page, name: string) =>
  void (images && (await page.screenshot({ path: `${images}/${name}.png` })));

describe('the documentation page', () => {
  it.each(['/', '/v2', '/v2/docs', '/docs'])('opens at %s', async path => {
    const page = await fetch(service.origin + path);
    expect(page.status).toBe(200);
    expect(page.url).toBe(`${service.origin}/v2/docs/`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(await page.text()).toContain('<title>API documentation');
  });

  it.each(['br', 'gzip'] as const)('is compressed with %s and has an entity tag', async encoding => {
    const headers = { 'accept-encoding': encoding };
    const answer = await fetch(`${service.origin}/v2/openapi.json`, { headers });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(await answer.json()).toMatchObject({ openapi: '3.1.1' });
    const etag = answer.headers.get('etag') ?? '';
    const again = await fetch(`${service.origin}/v2/openapi.json`, { headers: { ...headers, 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it.each(['desktop', 'phone'] as const)(
    'shows brochures first, and requests nothing from other sites: %s',
    async size => {
      const { page, elsewhere } = await open('/v2/docs/', size);
      await page.getByRole('heading', { name: 'Portal Service' }).waitFor();
      await page.getByRole('heading', { name: 'Brochures', level: 2 }).waitFor();
      await shot(page, size);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect({ elsewhere, overflow }).toEqual({ elsewhere: [], overflow: 0 });
      await page.close();
    },
    60_000,
  );

  it.each(['light', 'dark'] as const)(
    'has no axe findings but those of the markup of Scalar: %s',
    async colorScheme => {
      const { page } = await open('/v2/docs/', 'desktop', colorScheme);
      await page.getByRole('heading', { name: 'Brochures', level: 2 }).waitFor();
      const found = z.array(z.object({ id: z.string() }).loose()).parse(await findViolations(page));
      expect(found.filter(({ id }) => !(id in brokenByScalar))).toEqual([]);
      await shot(page, colorScheme);
      await page.close();
    },
    120_000,
  );
});

/** The rules that the markup of Scalar 1.46 breaks, with the elements. No option removes these. */
const brokenByScalar = {
  'aria-allowed-attr': 'aria-selected of the buttons in the side bar',
  'aria-allowed-role': 'navigation on an aside, search on a button',
  'aria-input-field-name': 'the editors of request bodies',
  'aria-required-children': 'the tabs of client libraries contain a button',
  'button-name': 'the search button, and buttons that copy',
  'label-content-name-mismatch': 'Show more',
  'landmark-unique': 'the regions with examples',
  'nested-interactive': 'headings of parameters and scopes that fold',
  'scrollable-region-focusable': 'the lists of endpoints',
};

describe('the page of a problem type', () => {
  it('exists for each type, without a login, and explains it', async () => {
    for (const code of ErrorCode.options) {
      const page = await fetch(`${service.origin}/v2/problems/${code}`);
      expect(page.status, code).toBe(200);
      const text = await page.text();
      expect(text, code).toContain('What to do');
      expect(text, code).not.toContain('{base}');
    }
    const cancelled = await (await fetch(`${service.origin}/v2/problems/job-cancelled`)).text();
    expect(cancelled).toContain('POST /v2/jobs/{id}/retry');
    expect((await fetch(`${service.origin}/v2/problems/unknown`)).status).toBe(404);
    expect((await fetch(`${service.origin}/v2/problems`)).status).toBe(200);
  });
});
