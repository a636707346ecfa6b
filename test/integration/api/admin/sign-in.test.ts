/** Sign-in of operators with OpenID Connect: in a browser, against a real provider; pages and actions by role. */
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { prefixOf } from '../../../../api/admin/queues-view.ts';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../../../core/jobs/handler.ts';
import { operatorSessionTable } from '../../../../core/oauth/schema.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { freePort } from '../../../../core/runtime/free-port.ts';
import { SyncReport } from '../../../../core/sync/report.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../../support/openid-provider.ts';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';

const groups = { amal: ['portal-operators', 'staff'], vera: ['portal-viewers'], otto: ['staff'] };

/** A sync that is held, or fails. */
const census = defineJob({
  kind: 'census',
  subject: 'people',
  summary: 'Counts all people.',
  payload: z.object({ fail: z.boolean() }),
  result: SyncReport,
  attempts: 1,
  backoffMs: 10,
  timeoutMs: 60_000,
  concurrency: 1,
  schedules: [
    {
      name: 'nightly-census',
      summary: 'Counts all people at night.',
      cron: '30 2 * * *',
      missed: 'latest',
      payload: { fail: false },
    },
  ],
});
const contracts: ReadonlyMap<string, JobContract> = new Map([[census.kind, census]]);

const report: SyncReport = {
  dryRun: false,
  read: 10,
  matched: 5,
  created: 0,
  updated: 0,
  deleted: 5,
  skipped: 0,
  failed: 0,
  calls: 1,
  seconds: 1,
  rows: [],
  rowsLeftOut: 0,
};

async function count(
  payload: unknown,
  { released }: JobContext,
): Promise<JobSuccess<SyncReport> | JobHeld<SyncReport>> {
  if (census.payload.parse(payload).fail)
    throw new ServiceError('upstream-failed', 'The register is closed.', { transient: false });
  if (released) return { result: report };
  return { held: { report: { ...report, heldBecause: ['5 of 10 rows would be deleted.'] }, plan: { delete: 5 } } };
}

describe('operators who sign in with OpenID Connect', () => {
  let service: TestService;
  let provider: OpenIdProvider;
  let proxy: TcpProxy;
  let browser: Browser;
  /** The URL of the operations pages. */
  let pages: string;

  beforeAll(async () => {
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    pages = `${publicUrl}/v2/ops`;
    provider = await startOpenIdProvider(groups, pages);
    service = await startTestService('operator-sign-in', {
      contracts,
      env: {
        PUBLIC_URL: publicUrl,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
        OIDC_SCOPES: 'openid email groups',
        OIDC_OPERATOR_GROUPS: 'portal-operators',
        OIDC_VIEWER_GROUPS: 'portal-viewers, portal-auditors',
        OPS_USER: 'fallback',
        OPS_PASSWORD: 'a password for one machine',
        OPS_BOARD_WRITABLE: 'true',
      },
    });
    proxy = await startTcpProxy(service.origin, port);
    browser = await sharedBrowser();
    service.startWorker([{ contract: census, handler: { handle: count } }]);
  });
  afterAll(async () => {
    await proxy?.close();
    await service?.close();
    await provider?.close();
  });

  /** Fills in the provider's login form and its consent. */
  async function signIn(page: Page, login: string, path = ''): Promise<void> {
    await page.goto(pages + path);
    await page.getByPlaceholder('Enter any login').fill(login);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(url => url.href.startsWith(pages));
  }

  async function withPage(check: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
    const context = await browser.newContext();
    try {
      await check(await context.newPage(), context);
    } finally {
      await context.close();
    }
  }

  async function heldJob(): Promise<string> {
    const { id } = await service.jobs.submit(census, { clientId: 'portal', payload: { fail: false } });
    await vi.waitUntil(async () => (await service.records.find(id))?.state === 'held', { timeout: 120_000 });
    return id;
  }

  it('come back to the page that they wanted, and see who they are', () =>
    withPage(async page => {
      await signIn(page, 'amal', '/jobs?kind=census');
      expect(page.url()).toBe(`${pages}/jobs?kind=census`);
      expect(await page.getByText('amal@example.com (operator)').isVisible()).toBe(true);
    }));

  it('are named in the audit trail by their own name', async () => {
    const id = await heldJob();
    await withPage(async page => {
      await signIn(page, 'amal', `/jobs/${id}`);
      await page.goto(`${pages}/jobs/${id}/release`);
      await page.locator('main').getByRole('button').click();
      await expect.poll(async () => (await service.records.find(id))?.state).toBe('succeeded');
    });
    const entries = await service.database.select().from(auditTable);
    expect(entries.filter(({ target }) => target.includes(id))).toMatchObject([
      { actorKind: 'operator', actor: 'amal@example.com' },
    ]);
  });

  it('see an explanation, and get no session, when none of their groups has a role', () =>
    withPage(async (page, context) => {
      await signIn(page, 'otto');
      expect(await page.locator('main').textContent()).toContain('otto@example.com is in none of the groups');
      expect((await context.request.get(pages)).status()).toBe(401);
    }));

  it('are signed out here and at the provider, and their old cookie opens nothing', () =>
    withPage(async (page, context) => {
      await signIn(page, 'amal');
      const [cookie] = (await context.cookies(pages)).filter(({ name }) => name === 'operator');
      const headers = { cookie: `operator=${cookie?.value}`, accept: 'application/json' };
      const statusOfCookie = async () => (await fetch(pages, { headers, redirect: 'manual' })).status;
      expect(await statusOfCookie()).toBe(200);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: /^Sign out at 127/ }).click();
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      await page.getByPlaceholder('Enter any login').waitFor();
      expect(await statusOfCookie()).toBe(401);
    }));

  it('must sign in again when the session has expired', () =>
    withPage(async (page, context) => {
      await signIn(page, 'amal');
      expect((await context.request.get(pages)).status()).toBe(200);
      await service.database.update(operatorSessionTable).set({ expiresAt: new Date(Date.now() - 1_000) });
      expect((await context.request.get(pages)).status()).toBe(401);
      await page.goto(pages);
      expect(page.url()).toBe(pages);
    }));

  it('cannot finish a sign-in that another browser began', () =>
    withPage(async page => {
      const answer = await page.goto(`${pages}/sign-in/callback?code=stolen&state=stolen`);
      expect(answer?.status()).toBe(422);
      expect(await page.locator('main').textContent()).toContain('begun in another browser');
    }));

  it.each(['https://elsewhere.example/', '//elsewhere.example/', '/\\elsewhere.example', 'javascript:alert(1)'])(
    'are not led to %s after the sign-in',
    to =>
      withPage(async page => {
        await signIn(page, 'amal', `/sign-in?to=${encodeURIComponent(to)}`);
        expect(page.url()).toBe(pages);
      }),
  );

  it('open the studio with their session', () =>
    withPage(async page => {
      await signIn(page, 'vera');
      await page.goto(`${pages.replace('/ops', '/studio')}#operator`);
      await page.getByText('Logged in as operator').waitFor();
    }));

  it('are sent from the studio to the sign-in page and back', () =>
    withPage(async page => {
      await page.goto(`${pages.replace('/ops', '/studio')}#operator`);
      await page.getByPlaceholder('Enter any login').fill('vera');
      await page.getByPlaceholder('and password').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Logged in as operator').waitFor();
    }));

  it('can use OPS_USER and tokens as before, without a redirect', async () => {
    const basic = `Basic ${Buffer.from('fallback:a password for one machine').toString('base64')}`;
    expect((await fetch(pages, { headers: { authorization: basic, accept: 'text/html' } })).status).toBe(200);
    const wrong = await fetch(pages, { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=', accept: 'text/html' } });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic/)]);
  });

  describe('by role', () => {
    const cookies = new Map<string, string>();
    let held: string;
    let failed: string;

    beforeAll(async () => {
      for (const login of ['vera', 'amal'])
        await withPage(async (page, context) => {
          await signIn(page, login);
          const [cookie] = (await context.cookies(pages)).filter(({ name }) => name === 'operator');
          cookies.set(login, `operator=${cookie?.value}`);
        });
      held = await heldJob();
      ({ id: failed } = await service.jobs.submit(census, { clientId: 'portal', payload: { fail: true } }));
      await vi.waitUntil(async () => (await service.records.find(failed))?.state === 'failed', { timeout: 120_000 });
    });

    const send = async (login: string, path: string, init: RequestInit = {}): Promise<number> => {
      const headers = { accept: 'application/json', cookie: cookies.get(login) ?? '', 'sec-fetch-site': 'same-origin' };
      return (await fetch(pages + path, { redirect: 'manual', ...init, headers: { ...headers, ...init.headers } }))
        .status;
    };

    const reads = () => ['', '/jobs', `/jobs/${held}`, `/jobs/${held}/plan.csv`, '/failures', '/queues'];
    const actions = () => [
      ...['release', 'drop'].map(verb => `/jobs/${held}/${verb}`),
      `/jobs/${failed}/retry`,
      `/failures/retry?kind=census&code=upstream-failed&since=${encodeURIComponent(new Date(0).toISOString())}`,
      ...['run', 'pause', 'resume'].map(verb => `/schedules/nightly-census/${verb}`),
    ];
    const form = {
      method: 'POST',
      body: 'seen=an+older+state',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };

    it('every page answers viewers and operators, and 401 to others', async () => {
      for (const path of reads())
        expect([path, await send('nobody', path), await send('vera', path), await send('amal', path)]).toEqual([
          path,
          401,
          200,
          200,
        ]);
    });

    it('every action answers 401 to others, 403 to viewers, and reaches its check of the state for operators', async () => {
      for (const path of actions())
        expect([path, await send('nobody', path, form), await send('vera', path, form)]).toEqual([path, 401, 403]);
      expect(await send('amal', `/jobs/${held}/release`, form)).toBe(409);
      expect(await send('amal', `/jobs/${failed}/retry`, form)).toBe(409);
      expect(await send('amal', '/schedules/nightly-census/pause', form)).toBe(409);
    });

    it('confirmations are for operators only, and pages of viewers have no links to them', async () => {
      for (const path of actions()) expect([path, await send('vera', path)]).toEqual([path, 403]);
      for (const login of ['vera', 'amal']) {
        const answer = await fetch(`${pages}/jobs/${held}`, { headers: { cookie: cookies.get(login) ?? '' } });
        expect((await answer.text()).includes(`/jobs/${held}/release`)).toBe(login === 'amal');
      }
    });

    it('the studio token is for both, changes on Bull Board for operators only', async () => {
      expect([await send('nobody', '/studio-token', form), await send('vera', '/studio-token', form)]).toEqual([
        401, 200,
      ]);
      const queue = `/queues/api/queues/${encodeURIComponent(`${prefixOf(census)}census`)}`;
      const put = { method: 'PUT' };
      expect([await send('nobody', `${queue}/pause`, put), await send('vera', `${queue}/pause`, put)]).toEqual([
        401, 403,
      ]);
      expect(await send('amal', `${queue}/pause`, put)).toBe(200);
      expect(await send('amal', `${queue}/resume`, put)).toBe(200);
    });
  });
});

it('an incomplete configuration stops the start and names what is missing', async () => {
  const env = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'portal' };
  await expect(startTestService('incomplete-sign-in', { env })).rejects.toThrow(
    'OIDC_ISSUER is set; set OIDC_CLIENT_SECRET and OIDC_OPERATOR_GROUPS as well.',
  );
});
