/** Operator pages over HTTP: list of jobs, failures by cause and their retry. */
import { eq, sql } from 'drizzle-orm';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UpstreamError } from '../../../../core/integrations/kit/upstream-error.ts';
import type { JobContract } from '../../../../core/jobs/contract.ts';
import { jobTable } from '../../../../core/jobs/schema.ts';
import { auditTable } from '../../../../core/postgres/schema.ts';
import { invalidInput, problemOf, ServiceError } from '../../../../core/runtime/errors.ts';
import leadsJob from '../../../../workers/leads/contract.ts';
import pdfJob from '../../../../workers/pdf/contract.ts';
import { useService } from '../../../support/test-service.ts';
import { openTrials, soloJob, trialContracts, trialJob } from '../../../support/trial-jobs.ts';

const login = { authorization: `Basic ${Buffer.from('duty:secret').toString('base64')}` };
const contracts: ReadonlyMap<string, JobContract> = new Map([
  ...trialContracts,
  [pdfJob.kind, pdfJob],
  [leadsJob.kind, leadsJob],
]);

const service = useService('ops-lists', () => ({ contracts, env: { OPS_USER: 'duty', OPS_PASSWORD: 'secret' } }));
const trials = openTrials();

beforeAll(async () => service.startWorker(trials.servedKinds));

const get = (path: string) => fetch(`${service.origin}/v2/ops${path}`, { headers: login, redirect: 'manual' });
const htmlOf = async (path: string) => unescaped(await (await get(path)).text());
const unescaped = (html: string) => html.replaceAll('&amp;', '&').replaceAll('&#x3D;', '=').replaceAll('&#x27;', "'");
const textOf = (html: string) =>
  html.replace(/<style.*?<\/style>|<script.*?<\/script>|<[^>]+>/gs, ' ').replace(/\s+/g, ' ');
const idsIn = (html: string) => [...html.matchAll(/<tr data-key="([^"]+)"/g)].map(([, id]) => id);
/** The path below `/ops` of the first link that matches. */
const linkIn = (html: string, pattern: RegExp) =>
  [...html.matchAll(/href="\/v2\/ops([^"]*)"/g)].map(([, path = '']) => path).find(path => pattern.test(path)) ?? '';

/** Sends the form of a confirmation. */
async function confirm(path: string, headers: Record<string, string> = {}) {
  const [, seen = ''] = /name="seen" value="([^"]*)"/.exec(await htmlOf(path)) ?? [];
  return await fetch(`${service.origin}/v2/ops${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...login, 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams({ seen }),
  });
}

const stateOf = async (id: string) => (await service.records.find(id))?.state;
async function failed(name: string, error: Error, contract: typeof trialJob | typeof soloJob = trialJob) {
  trials.when(name, () => Promise.reject(error));
  const { id } = await service.jobs.submit(contract, { clientId: 'portal', payload: { name } });
  await expect.poll(() => stateOf(id)).toBe('failed');
  return id;
}

describe('the list of jobs', () => {
  beforeAll(() =>
    service.database.execute(sql`
      insert into job (id, kind, client_id, state, payload, attempts_max, created_at, finished_at)
      select 'hasty_' || gen_random_uuid(), 'hasty', 'bulk', 'cancelled', '{}', 1,
        timestamptz '2026-01-31T04:00:00Z' + n * interval '1 minute', now() from generate_series(1, 120) as n`),
  );

  it('shows all jobs in pages, newest first', async () => {
    const pages: string[] = [];
    for (let path = '/jobs?client=bulk'; path !== ''; path = linkIn(pages.at(-1) ?? '', /cursor/))
      pages.push(await htmlOf(path));
    const ids = pages.map(idsIn);
    expect(ids.map(({ length }) => length)).toEqual([50, 50, 20]);
    const stored = await service.records.list({ clientId: 'bulk', limit: 200 });
    expect(ids.flat()).toEqual(stored.map(({ id }) => id));
    expect(linkIn(pages[1] ?? '', /^\/jobs\?client=bulk$/)).toBe('/jobs?client=bulk');
  });

  it('has its filters in its address, without empty ones', async () => {
    const { status, headers } = await get('/jobs?search=&kind=&state=cancelled&client=bulk&from=2026-01-31T08:10&to=');
    const address = '/jobs?state=cancelled&client=bulk&from=2026-01-31T08%3A10';
    expect([status, headers.get('location')]).toEqual([303, `/v2/ops${address}`]);
    const html = await htmlOf(`${address}&to=2026-01-31T08:13&kind=hasty`);
    // 08:10 in Dubai is 04:10 UTC.
    expect(textOf(html)).toMatch(/Sat 31 Jan, 08:12 .*Sat 31 Jan, 08:11 .*Sat 31 Jan, 08:10 /);
    expect(idsIn(html)).toHaveLength(3);
    expect(html).toContain('<option selected>hasty</option>');
    expect(html).toContain('name="from" value="2026-01-31T08:10"');
    for (const path of ['/jobs?client=bulk&state=failed', '/jobs?client=nobody', '/jobs?client=bulk&kind=pdf'])
      expect(await htmlOf(path), path).toContain('No job matches these filters.');
  });

  it('rejects filters that it does not have', async () => {
    for (const [query, fault] of [
      ['state=broken', 'state'],
      ['from=yesterday', 'from must be a day and a time'],
      ['from=2026-13-01T00:00', 'from must exist'],
      ['stat=failed', 'stat'],
      ['cursor=x', 'not valid for this list'],
    ] as const) {
      const answer = await get(`/jobs?${query}`);
      expect([answer.status, await answer.text()], query).toEqual([422, expect.stringContaining(fault)]);
    }
  });

  it('finds a job by its id, its listings and its leads', async () => {
    const client = await service.client(['pdf', 'leads']);
    const list = ['MP-S-7001', 'MP-R-7002'].map(reference_number => ({ reference_number, title_en: 'Villa' }));
    const pdf = await client.requestJob('POST', '/apps/portal/v1/pdf', { body: { list } });
    const leads = await client.requestJob('POST', '/apps/portal/v1/leads/enrich', { body: { id: 7003 } });
    expect((await get(`/jobs?search=see+${pdf.id}`)).headers.get('location')).toBe(`/v2/ops/jobs/${pdf.id}`);
    for (const [search, id] of [
      ['MP-S-7001', pdf.id],
      ['+mp-r-7002+', pdf.id],
      ['7003', leads.id],
    ])
      expect(idsIn(await htmlOf(`/jobs?search=${search}`)), search).toEqual([id]);
    expect(await htmlOf('/jobs?search=MP-S-70')).toContain('No job matches these filters.');
    const missing = `pdf_${uuidv7()}`;
    expect(await htmlOf(`/jobs?search=${missing}`)).toContain(`There is no job ${missing}; old jobs are deleted.`);
  });
});

describe('a failed job of several listings', () => {
  it('is named by the listing that failed, in lists and on its page, where equal warnings are one line', async () => {
    const client = await service.client(['pdf']);
    const list = Array.from({ length: 60 }, (_, index) => ({
      reference_number: `MP-W-${index}`,
      title_en: 'Villa',
      bitrix_id_old: String(index),
    }));
    const { id } = await client.requestJob('POST', '/apps/portal/v1/pdf', { body: { list } });
    const { warnings: stored = [] } = pdfJob.payload.parse((await service.records.find(id))?.payload);
    expect(stored).toHaveLength(51);
    expect(stored.at(-1)?.detail).toBe('10 more unknown fields are not listed here; validateOnly lists all.');
    const fault = { pointer: '/list/41/photo/1', detail: 'The photo could not be loaded.' };
    const error = problemOf(invalidInput([fault], 'A photo could not be loaded.'), '/x');
    const warnings = list.map((_, index) => ({ pointer: `/list/${index}/bitrix_id`, detail: 'is unknown' }));
    await service.database
      .update(jobTable)
      .set({ state: 'failed', error, warnings, finishedAt: new Date() })
      .where(eq(jobTable.id, id));
    expect(textOf(await htmlOf('/jobs?kind=pdf&state=failed'))).toMatch(/pdf MP-W-41 /);
    expect(textOf(await htmlOf('/failures'))).toContain('MP-W-41 : A photo could not be loaded.');
    const page = textOf(await htmlOf(`/jobs/${id}`));
    expect(page).toContain('MP-W-41 /list/41/photo/1 The photo could not be loaded.');
    expect(page).toContain('60 × /bitrix_id is unknown MP-W-0, MP-W-1, MP-W-2, MP-W-3, MP-W-4 and 55 more');
    expect(page.match(/is unknown/g)).toHaveLength(1);
    expect(page).toContain('Times are in Dubai (UTC+4).');
    await service.database.delete(jobTable).where(eq(jobTable.id, id));
  });
});

describe('failures', () => {
  beforeEach(() => service.database.execute(sql`delete from job where client_id = 'portal'`));

  const upstream = (operation: string) =>
    new UpstreamError('upstream-failed', 'The CRM rejected the call.', {
      kind: 'rejected',
      system: 'crm',
      status: 403,
      call: { operation, status: 403, at: '2026-01-31T08:00:00.000Z' },
    });

  it('are grouped by kind, problem and operation of the outside system, whatever ids its path has', async () => {
    const ids = [
      await failed('one', upstream('GET /users/4711')),
      await failed('two', upstream('GET /users/4712')),
      await failed('three', upstream('GET /groups')),
      await failed('four', new ServiceError('photo-unavailable', 'No photo.')),
    ];
    const html = await htmlOf('/failures');
    const titles = [...html.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, title]) => title);
    expect(titles[0]).toBe('2 × trial: An outside system failed');
    expect(titles.slice(1).sort()).toEqual([
      '1 × trial: A photo is unavailable',
      '1 × trial: An outside system failed',
    ]);
    expect(textOf(html)).toMatch(/The CRM rejected the call. Last call to crm : GET \/users\/{id} , status 403/);
    expect(idsIn(await htmlOf(linkIn(html, /^\/jobs\?.*users/)))).toEqual([ids[1], ids[0]]);
    // Another version may have written the type in another form.
    await service.database
      .update(jobTable)
      .set({ error: sql`${jobTable.error} || '{"type": "https://portal.example/v2/problems/upstream-failed"}'` })
      .where(eq(jobTable.id, ids[0] ?? ''));
    expect(await htmlOf('/failures?span=week')).toContain('2 × trial: An outside system failed');
    expect((await get('/failures?span=year')).status).toBe(422);
  });

  it('of one cause are retried together, without those that failed after the page was shown', async () => {
    const names = ['one', 'two'];
    const targets: string[] = [];
    for (const [index, name] of names.entries())
      targets.push(`/jobs/${await failed(name, upstream(`GET /users/${4_711 + index}`))}`);
    const path = linkIn(await htmlOf('/failures'), /retry.*users/);
    const later = await failed('later', upstream('GET /users/4713'));
    for (const name of names) trials.when(name, async () => 'done');
    expect(textOf(await htmlOf(path))).toMatch(/Retry 2 jobs\? .* Clients portal \(2\)/);
    expect((await confirm(path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const answer = await confirm(path);
    expect([answer.status, textOf(await answer.text())]).toEqual([
      200,
      expect.stringContaining('2 retried, 0 refused'),
    ]);
    const audited = await service.database.select().from(auditTable);
    const retried = audited.filter(({ action, target }) => action === 'jobs.retry' && targets.includes(target));
    expect(retried.map(({ actorKind, actor }) => [actorKind, actor])).toEqual(names.map(() => ['operator', 'duty']));
    for (const { target } of retried) await expect.poll(() => stateOf(target.slice('/jobs/'.length))).toBe('succeeded');
    expect(await stateOf(later)).toBe('failed');
    expect((await get(path)).status).toBe(404);
  });

  it('that cannot be retried are reported with the reason', async () => {
    const error = new ServiceError('job-timed-out', 'The job took too long.');
    const ids = [await failed('alone', error, soloJob), await failed('alone', error, soloJob)];
    trials.when('alone', ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', reject)));
    const path = linkIn(await htmlOf('/failures'), /retry\?kind=solo/);
    const report = textOf(await (await confirm(path)).text());
    expect(report).toContain('1 retried, 1 refused');
    expect(report).toMatch(/1 refused: Another job that does the same work is open; repeat the request .* solo_/);
    const states = await Promise.all(ids.map(stateOf));
    expect(states.filter(state => state === 'failed')).toHaveLength(1);
    for (const id of ids) await service.jobs.cancel(soloJob, id);
  });

  it('are not retried when others have retried some of them since the confirmation', async () => {
    const error = new ServiceError('gone', 'Gone.');
    const ids = [await failed('first', error), await failed('second', error)];
    trials.when('first', async () => 'done');
    const path = linkIn(await htmlOf('/failures'), /problem=gone/);
    const [, seen = ''] = /name="seen" value="([^"]*)"/.exec(await htmlOf(path)) ?? [];
    await service.jobs.retry(trialJob, ids[0] ?? '');
    const headers = { ...login, 'sec-fetch-site': 'same-origin' };
    const body = new URLSearchParams({ seen });
    expect((await fetch(`${service.origin}/v2/ops${path}`, { method: 'POST', headers, body })).status).toBe(409);
    expect(await stateOf(ids[1] ?? '')).toBe('failed');
  });
});
