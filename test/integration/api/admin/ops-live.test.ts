/** Operator pages in a browser, with running, failed and held jobs and a problem: accessibility, width, live updates. */
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { storeBalance } from '../../../../core/domain/telephony/sms-repository.ts';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import { placeMembers, SyncReport } from '../../../../core/sync/report.ts';
import { findViolations } from '../../../support/find-violations.ts';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { startTestService, type TestService } from '../../../support/test-service.ts';
import { openTrials, soloJob, trialContracts, trialJob, untilAborted } from '../../../support/trial-jobs.ts';

const httpCredentials = { username: 'duty', password: 'secret' };

let service: TestService;
let browser: Browser;
const ids = { running: '', failed: '', held: '', succeeded: '' };
const trials = openTrials();

async function submit(name: string, state: string, contract: typeof trialJob | typeof soloJob = trialJob) {
  const { id } = await service.jobs.submit(contract, { clientId: 'portal', payload: { name } });
  await vi.waitUntil(async () => (await service.records.find(id))?.state === state, {
    timeout: 120_000,
    interval: 100,
  });
  return id;
}

async function submitAll(): Promise<void> {
  trials.when('running', async context => {
    context.progress('reading', 1, 2, 50);
    return await untilAborted(context);
  });
  const call = { operation: 'GET /users/4711', status: 403, at: '2026-01-31T08:00:00.000Z' };
  const failure = { kind: 'rejected', system: 'crm', status: 403, call } as const;
  trials.when('failed', () =>
    Promise.reject(new UpstreamError('upstream-failed', 'The CRM rejected the call.', failure)),
  );
  const heldBecause = ['480 of 1200 rows would be deleted.'];
  const rows = [{ key: '77', outcome: 'deleted', reason: 'Gone from the source.' }];
  const counts = { dryRun: false, read: 1_200, matched: 705, created: 12, updated: 3, deleted: 480, skipped: 0 };
  const places = [{ place: 'the local copy', created: 12, updated: 3, deleted: 480, rows: 1_200 }];
  const figures = { ...counts, failed: 0, calls: 2, seconds: 3 };
  const report = SyncReport.parse({ ...figures, rows, rowsLeftOut: 0, ...placeMembers(heldBecause, places) });
  const items = Array.from({ length: 12 }, (_, key) => ({
    key: String(key),
    name: `Location ${key}`,
    detail: 'a leaf',
  }));
  const changes = [{ outcome: 'deleted' as const, reason: 'Gone from the source.', items }];
  trials.when('held', async () => ({ held: { report: { said: 'held', ...report }, plan: {}, changes } }));
  ids.succeeded = await submit('succeeded', 'succeeded');
  ids.failed = await submit('failed', 'failed');
  await submit('failed', 'failed');
  ids.held = await submit('held', 'held', soloJob);
  ids.running = await submit('running', 'running');
}

beforeAll(async () => {
  const env = { OPS_USER: httpCredentials.username, OPS_PASSWORD: httpCredentials.password };
  service = await startTestService('ops-live', { contracts: trialContracts, env });
  service.startWorker(trials.servedKinds);
  browser = await sharedBrowser();
  await submitAll();
  await storeBalance(service.database, { amount: 3, currency: 'AED' });
});
afterAll(() => service?.close());

const address = (path: string) => `${service.origin}/v2/ops${path}`;

describe.each([
  { width: 390, colorScheme: 'light' },
  { width: 1_280, colorScheme: 'dark' },
] as const)('all operator pages, $width px wide and $colorScheme', ({ width, colorScheme }) => {
  it('have no violation that axe finds, and no horizontal scrolling', async () => {
    const context = await browser.newContext({ httpCredentials, colorScheme, viewport: { width, height: 844 } });
    const page = await context.newPage();
    await page.goto(address('/failures'));
    const retry = await page.getByRole('link', { name: 'Retry all 2…' }).getAttribute('href');
    const jobs = Object.values(ids).map(id => `/jobs/${id}`);
    const confirmations = [`/jobs/${ids.held}/release`, `/jobs/${ids.running}/cancel`];
    const lists = [
      '',
      '/jobs',
      `/jobs?client=portal&state=failed`,
      '/jobs?client=x',
      '/failures',
      '/failures?span=week',
      '/deals',
    ];
    for (const path of [...lists, ...jobs, ...confirmations, retry?.replace('/v2/ops', '') ?? '', '/jobs/none'])
      await expectAccessible(page, path);
    await context.close();
  });
});

async function expectAccessible(page: Page, path: string): Promise<void> {
  await page.goto(address(path));
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  expect(await findViolations(page), path).toEqual([]);
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(widths[0], path).toBe(widths[1]);
}

it('a held run is dropped with the keyboard only', async () => {
  const name = 'held for the keyboard';
  trials.when(name, async () => ({ held: { report: { said: 'held' }, plan: {} } }));
  const id = await submit(name, 'held', soloJob);
  const context = await browser.newContext({ httpCredentials });
  const page = await context.newPage();
  /** Moves the focus to the element, which shows it, and presses Enter. */
  const press = async (selector: string) => {
    const hasFocus = () => page.locator(selector).evaluate(element => element === document.activeElement);
    for (let tabs = 0; tabs < 100 && !(await hasFocus()); tabs += 1) await page.keyboard.press('Tab');
    expect(await hasFocus(), selector).toBe(true);
    expect(await page.locator(selector).evaluate(element => getComputedStyle(element).outlineStyle)).toBe('solid');
    await page.keyboard.press('Enter');
  };
  await page.goto(address(''));
  await press('.status a[href$="#held"] >> nth=0');
  await press(`a[href$="${id}/release"]`);
  await page.getByRole('heading', { name: 'Release this held run?' }).waitFor();
  await press(`a[href$="${id}/drop"]`);
  await page.getByRole('heading', { name: 'Drop this held run?' }).waitFor();
  await press('main button');
  await page.getByRole('status').getByText('Dropped').waitFor();
  expect((await service.records.find(id))?.state).toBe('cancelled');
  await context.close();
});

describe('live updates', () => {
  /** Opens a page whose timers run when the test moves its clock. */
  async function open(path: string) {
    const context = await browser.newContext({ httpCredentials, viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const errors: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', error => errors.push(error.message));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    page.on('request', request => requests.push(request.url()));
    await page.clock.install();
    await page.goto(address(path));
    const update = async () => {
      const answered = page.waitForResponse(address(path));
      await page.clock.fastForward(10_000);
      await answered;
    };
    return { page, errors, requests, update, close: () => context.close() };
  }

  it('change the page in place: scroll position and focus stay', async () => {
    const { page, errors, update, close } = await open('');
    const link = page.getByRole('link', { name: 'All causes' });
    await link.focus();
    const scrolled = await page.evaluate(() => window.scrollY);
    expect(scrolled).toBeGreaterThan(0);
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));
    const row = page.getByRole('row', { name: /^trial/ });
    const before = await row.textContent();

    await submit('another', 'succeeded');
    await update();
    await expect.poll(() => row.textContent()).not.toBe(before);
    expect(await link.evaluate(element => element === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => Math.round(window.scrollY))).toBe(Math.round(scrolled));
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
    expect(errors).toEqual([]);
    await close();
  });

  it('insert new jobs above the row that has the focus, and keep an unsent filter and open details', async () => {
    const { page, errors, update, close } = await open('/jobs');
    const row = page.getByRole('link', { name: `trial, job ${ids.failed}` });
    await row.focus();
    await page.getByRole('searchbox').evaluate(field => Object.assign(field, { value: 'MP-S' }));
    const details = page.locator('details', { hasText: 'Client and time' });
    await details.evaluate(element => Object.assign(element, { open: true }));
    const added = await submit('added', 'succeeded');
    await update();
    await page.getByRole('link', { name: `trial, job ${added}` }).waitFor();
    expect(await row.evaluate(element => element === document.activeElement)).toBe(true);
    expect(await page.getByRole('searchbox').inputValue()).toBe('MP-S');
    expect(await details.getAttribute('open')).not.toBeNull();
    expect(errors).toEqual([]);
    await close();
  });

  it('stop while the page is hidden, paused or shows an ended job, and continue at once afterwards', async () => {
    const { page, requests, update, close } = await open('');
    const setHidden = (isHidden: boolean) =>
      page.evaluate(hidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await update();
    await page.getByText(/^Updated/).waitFor();
    const sent = requests.length;
    await setHidden(true);
    await page.clock.fastForward(60_000);
    expect(requests).toHaveLength(sent);
    const shown = page.waitForResponse(address(''));
    await setHidden(false);
    await shown;

    await page.getByRole('button', { name: 'Pause' }).click();
    const whenPaused = requests.length;
    await page.clock.fastForward(60_000);
    expect(requests).toHaveLength(whenPaused);
    const resumed = page.waitForResponse(address(''));
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await resumed;
    await close();

    const ended = await open(`/jobs/${ids.succeeded}`);
    await ended.page.clock.fastForward(60_000);
    expect(ended.requests).toHaveLength(1);
    await ended.close();
  });

  it('follow a job to its end', async () => {
    const id = await submit('running', 'running');
    const { page, update, close } = await open(`/jobs/${id}`);
    await service.jobs.cancel(trialJob, id);
    await expect.poll(async () => (await service.records.find(id))?.state).toBe('cancelled');
    await update();
    await page.getByRole('heading', { name: 'trial cancelled' }).waitFor();
    expect(await page.title()).toMatch(/^trial cancelled/);
    await page.getByText(/nothing more changes by itself/).waitFor();
    await close();
  });

  it('say when the connection is lost, and when it is back', async () => {
    const { page, update, close } = await open('');
    const lost = page.getByRole('alert');
    await page.route('**/ops', route => route.abort());
    await page.clock.fastForward(10_000);
    await lost.waitFor();
    expect(await lost.textContent()).toMatch(
      /^Connection lost: the service cannot be reached. .* state of \d\d:\d\d:\d\d/,
    );
    expect(await findViolations(page)).toEqual([]);
    await page.unroute('**/ops');
    await page.route('**/ops', route => route.fulfill({ status: 503, body: '' }));
    await update();
    await page.getByText('the service answered with status 503').waitFor();
    await page.unroute('**/ops');
    await update();
    await lost.waitFor({ state: 'hidden' });
    await close();
  });
});
