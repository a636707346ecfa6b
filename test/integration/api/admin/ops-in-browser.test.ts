/** Operator pages in a browser: overview, held runs, failures, schedules. */
import { mkdirSync } from 'node:fs';
import { eq, sql } from 'drizzle-orm';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type JobContract } from '../../../../core/jobs/contract.ts';
import type { JobContext, JobHeld, JobSuccess } from '../../../../core/jobs/handler.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { ServiceError } from '../../../../core/runtime/errors.ts';
import { SyncReport } from '../../../../core/sync/report.ts';
import { sharedBrowser } from '../../../support/shared-browser.ts';
import { useService } from '../../../support/test-service.ts';

const [username, password] = ['duty', 'a password of the operators'];
const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const privatePhone = '+971501234567';

/** A sync that is held until released; with `fail` it fails. */
const headcount = defineJob({
  kind: 'headcount',
  subject: 'people',
  summary: 'Counts all people.',
  payload: z.object({ phone: z.string(), fail: z.boolean().default(false) }),
  result: SyncReport,
  attempts: 1,
  backoffMs: 10,
  timeoutMs: 60_000,
  concurrency: 1,
  schedules: [
    {
      name: 'nightly-headcount',
      summary: 'Counts all people at night.',
      cron: '30 2 * * *',
      missed: 'latest',
      payload: { phone: privatePhone },
    },
  ],
});
const contracts: ReadonlyMap<string, JobContract> = new Map([[headcount.kind, headcount]]);

const report: SyncReport = {
  dryRun: false,
  read: 1_200,
  matched: 705,
  created: 12,
  updated: 3,
  deleted: 480,
  skipped: 0,
  failed: 0,
  calls: 24,
  seconds: 3.2,
  rows: [{ key: '77', outcome: 'deleted', reason: `Gone from the source ${hostile}` }],
  rowsLeftOut: 479,
};

async function count(
  payload: unknown,
  { released, progress }: JobContext,
): Promise<JobSuccess<SyncReport> | JobHeld<SyncReport>> {
  progress('reading', 1, 2, 50);
  if (headcount.payload.parse(payload).fail)
    throw new ServiceError('upstream-failed', `The register answered ${hostile}`, { transient: false });
  if (released) return { result: report };
  const heldBecause = ['480 of 1200 rows would be deleted.'];
  return { held: { report: { ...report, heldBecause }, plan: { delete: 480 } } };
}

describe('the operator pages', () => {
  const service = useService('ops-in-browser', () => ({
    contracts,
    env: { OPS_USER: username, OPS_PASSWORD: password },
  }));
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    context = await browser.newContext({ httpCredentials: { username, password } });
    page = await context.newPage();
    page.on('pageerror', error => errors.push(error.message));
    page.on('console', message => message.type() === 'error' && errors.push(message.text()));
    page.on('dialog', dialog => {
      errors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    service.startWorker([{ contract: headcount, handler: { handle: count } }]);
  });
  // Runs of a schedule are held too.
  beforeEach(async () => {
    await service.database.execute(sql`delete from job`);
    await service.database.execute(sql`delete from schedule_fire`);
  });
  afterEach(() => expect(errors).toEqual([]));
  afterAll(async () => {
    await context?.close();
  });

  const submit = (payload: { fail?: boolean }) =>
    service.jobs.submit(headcount, { clientId: 'portal', payload: { phone: privatePhone, ...payload } });
  const stateOf = async (id: string) => (await service.records.find(id))?.state;
  const open = (path = '') => page.goto(`${service.origin}/v2/ops${path}`);
  const section = (name: string) => page.getByRole('region', { name });

  it('return 401 without the login', async () => {
    const anonymous = await browser.newContext();
    const anonymousPage = await anonymous.newPage();
    for (const path of ['/v2/ops', '/ops']) {
      expect((await anonymousPage.goto(service.origin + path))?.status()).toBe(401);
      expect(await anonymousPage.content()).not.toContain('headcount');
    }
    await anonymous.close();
  });

  it('and the documentation page, which needs scripts, run no inline scripts and none of other sites', async () => {
    const docs = await browser.newPage();
    const blocked: string[] = [];
    docs.on('console', message => message.type() === 'error' && blocked.push(message.text()));
    docs.on('pageerror', error => blocked.push(error.message));
    const answer = await docs.goto(`${service.origin}/v2/docs`);
    const policy = answer?.headers()['content-security-policy'];
    expect(policy).toMatch(/^default-src 'self';.* frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/script-src|https?:/);
    await docs.getByRole('heading', { name: 'Brochures', level: 2 }).waitFor();
    expect(await docs.evaluate("fetch('/v2/health').then(answer => answer.json())")).toEqual({ status: 'pass' });
    expect(blocked).toEqual([]);
    await docs.evaluate(
      "document.head.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))",
    );
    expect(await docs.evaluate('window.ran')).toBeUndefined();
    // Another origin on loopback: the policy blocks the request before it is sent.
    const foreign = service.origin.replace('127.0.0.1', 'localhost');
    await expect(docs.evaluate(`fetch('${foreign}/v2/health')`)).rejects.toThrow('Failed to fetch');
    expect(blocked.join()).toMatch(/Content Security Policy/);
    await docs.close();
  });

  it('show queues, workers, schedules with their next run, and integrations', async () => {
    await expect
      .poll(async () => {
        await open();
        return await section('Workers and schedulers').textContent();
      })
      .toContain('headcount');
    expect(await page.title()).toMatch(/^Ready.* · Operations/);

    const queue = section('Queues').getByRole('row', { name: /^headcount/ });
    expect(await section('Queues').getByRole('rowheader').allTextContents()).toEqual(['People', 'headcount']);
    expect(await queue.getByRole('link').getAttribute('href')).toBe('/v2/ops/queues/queue/people.headcount');

    const schedule = section('Schedules').getByRole('row', { name: /nightly-headcount/ });
    // A missed run links to it.
    expect(await schedule.getAttribute('id')).toBe('schedule-nightly-headcount');
    expect(await schedule.textContent()).toMatch(/every day at 02:30.*02:30 in .*never/s);
    expect(await section('Outside systems').getByRole('row').count()).toBeGreaterThan(5);
    // No scheduler is running in this test.
    expect(await section('Ready, with warnings').textContent()).toContain('scheduler');
  });

  it('show a held run, release it after confirmation, and show its progress', async () => {
    const { id } = await submit({});
    await expect.poll(() => stateOf(id)).toBe('held');
    await open();
    await saveScreenshots('overview');
    const held = section('Held runs');
    expect(await held.textContent()).toContain('It would create 12, update 3, delete 480 (of 1,200 rows read)');
    expect(await held.textContent()).toContain('480 of 1200 rows would be deleted.');

    await held.getByRole('link', { name: 'View plan' }).click();
    const plan = section('Planned changes');
    expect(await plan.getByRole('row', { name: /^77/ }).textContent()).toContain(hostile);
    await saveScreenshots('held-job');

    await page.getByRole('link', { name: 'Release…' }).click();
    await page.getByRole('heading', { name: 'Release this held run?' }).waitFor();
    expect(await page.getByRole('main').textContent()).toContain('480 of 1200 rows would be deleted.');
    expect(await stateOf(id)).toBe('held');
    await saveScreenshots('confirm');
    await page
      .getByRole('button', { name: 'Release it: create 12, update 3, delete 480 (of 1,200 rows read)' })
      .click();

    await page.getByRole('status').getByText('Released').waitFor();
    expect(page.url()).toContain(`/v2/ops/jobs/${id}`);
    await expect.poll(() => stateOf(id)).toBe('succeeded');
    await open(`/jobs/${id}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('headcount succeeded');
    expect(await section('Timeline').textContent()).toMatch(/accepted.*held.*released.*succeeded/s);
    const auditEntries = await service.database
      .select()
      .from(auditTable)
      .where(eq(auditTable.target, `/jobs/${id}`));
    expect(auditEntries).toMatchObject([{ actorKind: 'operator', actor: username, action: 'jobs.release' }]);
    expect(auditEntries[0]?.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('show a failure with escaped texts and without the payload, and retry it', async () => {
    const { id } = await submit({ fail: true });
    await expect.poll(() => stateOf(id)).toBe('failed');
    await open();
    const failure = section('Recent failures').getByRole('listitem');
    expect(await failure.getByRole('heading').textContent()).toBe('1 × headcount: An outside system failed');
    expect(await failure.textContent()).toContain(`The register answered ${hostile}`);
    await failure.getByRole('link', { name: `Latest job: ${id}` }).click();
    expect(await section('An outside system failed').textContent()).toContain(hostile);
    await saveScreenshots('failed-job');
    for (const path of ['', `/jobs/${id}`]) {
      const { html } = { html: await (await open(path))?.text() };
      expect(html).toContain('&lt;script&gt;');
      // The page's own script has no attributes; the policy forbids others.
      expect(html?.match(/<script.{0,20}/g) ?? []).toEqual(path === '' ? ['<script>/**'] : []);
      expect(html).not.toContain(privatePhone);
    }
    await open(`/jobs/${id}`);
    await page.getByRole('link', { name: 'Run again…' }).click();
    await page.getByRole('button', { name: 'Run it again' }).click();
    await page.getByRole('status').getByText('waits for its next run').waitFor();
    await expect
      .poll(async () => (await service.events.timeline(id, 0, 50)).map(({ type }) => type))
      .toContain('requeued');
  });

  it('run, pause and resume a schedule after confirmation', async () => {
    await open();
    await page.getByRole('link', { name: 'Run now… nightly-headcount' }).click();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByRole('status').getByText('job was started').waitFor();

    await open();
    await page.getByRole('link', { name: 'Pause… nightly-headcount' }).click();
    await page.getByRole('button', { name: 'Pause it' }).click();
    const row = section('Schedules').getByRole('row', { name: /nightly-headcount/ });
    await row.getByText('paused').waitFor();
    expect(await row.textContent()).toContain(`by ${username}`);
    await page.getByRole('link', { name: 'Resume… nightly-headcount' }).click();
    await page.getByRole('button', { name: 'Resume it' }).click();
    await page.getByRole('status').getByText('active again').waitFor();
    const auditEntries = await service.database.select().from(auditTable);
    expect(auditEntries.map(({ actorKind, actor, action }) => [actorKind, actor, action]).slice(-3)).toEqual([
      ['operator', username, 'schedules.run'],
      ['operator', username, 'schedules.pause'],
      ['operator', username, 'schedules.resume'],
    ]);
  });

  it('fit a phone and work without scripts', async () => {
    const phone = await browser.newContext({
      httpCredentials: { username, password },
      viewport: { width: 360, height: 740 },
      javaScriptEnabled: false,
    });
    const small = await phone.newPage();
    await small.goto(`${service.origin}/v2/ops`);
    const widths = await small.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(widths[0]).toBeLessThanOrEqual(widths[1] ?? 0);
    if (screenshotFolder) await small.screenshot({ path: `${screenshotFolder}/phone.png`, fullPage: true });
    await small.close();
    await phone.close();
  });

  const screenshotFolder = process.env.OPS_PICTURES;
  /** Saves screenshots when OPS_PICTURES names a folder. */
  async function saveScreenshots(name: string): Promise<void> {
    if (screenshotFolder === undefined) return;
    mkdirSync(screenshotFolder, { recursive: true });
    await page.screenshot({ path: `${screenshotFolder}/${name}.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: `${screenshotFolder}/${name}-dark.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'light' });
  }
});
