/** Results: digest, signed links, expiry. */
import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { gate } from '../../../../support/gate.ts';
import { runMaintenanceTask } from '../../../../support/maintenance.ts';
import { useTrials } from '../../../../support/use-trials.ts';

const { service, client, trials, start } = useTrials('result-life', () => ({ env: { RESULT_RETENTION_HOURS: '48' } }));
const content = Buffer.from('0123456789'.repeat(1_000));
const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;

const result = (id: string, headers: Record<string, string> = {}) =>
  client.request('GET', `/jobs/${id}/result`, { headers });
/** Creates a job with a result file under this key. */
async function madeFile(key: string): Promise<string> {
  trials.when(key, async () => {
    const { size, sha256 } = await service.results.put(key, content, { contentType: 'application/pdf' });
    await service.results.put(`${key}.json`, content, { contentType: 'application/json' });
    const about = { contentType: 'application/pdf', fileName: 'trial.pdf', recordKey: `${key}.json` };
    return { result: { said: 'a file' }, file: { key, bytes: size, sha256, ...about } };
  });
  return (await client.waitForJob(await start(key))).id;
}
const expire = (id: string) =>
  service.database.execute(sql`update job set result_expires_at = now() - interval '1 second' where id = ${id}`);
const clean = () => runMaintenanceTask('expired-results', service);

describe('the digest of a file (RFC 9530)', () => {
  it('covers the sent bytes, and the whole file for a part', async () => {
    const id = await madeFile('digest.pdf');
    const whole = await result(id);
    expect(whole.headers.get('content-digest')).toBe(digest);
    const part = await result(id, { range: 'bytes=0-9' });
    expect(part.headers.get('repr-digest')).toBe(digest);
    expect(part.headers.get('content-digest')).toBeNull();
  });
});

describe('an expired result', () => {
  it('is announced by resultExpiresAt of the job', async () => {
    const job = await client.job(await madeFile('announced.pdf'));
    const kept = Date.parse(job.resultExpiresAt ?? '') - Date.parse(job.finishedAt ?? '');
    expect(kept).toBe(48 * 3_600_000);
    const finish = gate();
    trials.when('unfinished', () => finish.opened.then(() => 'done'));
    const unfinished = await start('unfinished');
    expect((await client.job(unfinished)).resultExpiresAt).toBeNull();
    finish.open();
  });

  it('returns 410, also before its file is deleted', async () => {
    const id = await madeFile('expired.pdf');
    await expire(id);
    expect(await result(id)).toMatchObject({
      status: 410,
      body: { type: 'http://portal.example/v2/problems/gone' },
    });
    expect(await service.results.has('expired.pdf')).toBe(true);
  });

  it('returns 410 when it is a report', async () => {
    const { id } = await client.waitForJob(await start('report'));
    await expire(id);
    expect(await result(id)).toMatchObject({ status: 410 });
  });

  it('has its file and related data deleted', async () => {
    const id = await madeFile('deleted.pdf');
    await expire(id);
    await clean();
    expect(await service.results.has('deleted.pdf')).toBe(false);
    expect(await service.results.has('deleted.pdf.json')).toBe(false);
    expect(await result(id)).toMatchObject({ status: 410 });
  });

  it('does not delete a file that another job still uses', async () => {
    const [first, second] = [await madeFile('shared.pdf'), await madeFile('shared.pdf')];
    await expire(first);
    await clean();
    expect(await result(first)).toMatchObject({ status: 410 });
    expect(await result(second)).toMatchObject({ status: 200 });
    await expire(second);
    await clean();
    expect(await service.results.has('shared.pdf')).toBe(false);
  });
});

describe('a link to a result', () => {
  const link = (id: string, body: object = {}) => client.request('POST', `/jobs/${id}/result-link`, { body });
  const linkTo = async (id: string, body: object = {}) => {
    const { url, expiresAt } = (await link(id, body)).body as { url: string; expiresAt: string };
    return { url: new URL(url, service.origin), expiresAt };
  };
  /** Requests without a token, as a browser does. */
  const open = (url: URL, headers: Record<string, string> = {}) =>
    fetch(`${service.origin}${url.pathname}${url.search}`, { headers });

  it('opens without a token and returns the same as the result', async () => {
    const id = await madeFile('linked.pdf');
    const { url } = await linkTo(id);
    expect(url.href).toMatch(/^http:\/\/portal\.example\/v2\/results\//);
    const answer = await open(url);
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content)).toBe(true);
    const direct = await result(id);
    for (const header of ['content-type', 'content-disposition', 'etag', 'content-digest', 'content-length']) {
      expect(answer.headers.get(header), header).toBe(direct.headers.get(header));
    }
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const part = await open(url, { range: 'bytes=5-9' });
    expect([part.status, await part.text()]).toEqual([206, '56789']);
  });

  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const dispositionOf = (answer: Response) => answer.headers.get('content-disposition');

  it('shows the file in a browser under its name, and lets it save the file when asked', async () => {
    const { url } = await linkTo(await madeFile('shown.pdf'));
    const shown = await open(url, browser);
    expect([shown.status, dispositionOf(shown)]).toEqual([200, 'inline; filename="trial.pdf"']);
    expect(shown.headers.get('vary')).toContain('accept');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await shown.arrayBuffer()).equals(content)).toBe(true);
    const part = await open(url, { ...browser, range: 'bytes=5-9' });
    expect([part.status, dispositionOf(part), await part.text()]).toEqual([
      206,
      'inline; filename="trial.pdf"',
      '56789',
    ]);
    const etag = shown.headers.get('etag') ?? '';
    expect((await open(url, { ...browser, 'if-none-match': etag })).status).toBe(304);

    url.searchParams.set('download', 'true');
    expect(dispositionOf(await open(url, browser))).toBe('attachment; filename="trial.pdf"');
    url.searchParams.set('utm_source', 'mail');
    expect((await open(url, browser)).status).toBe(200);
  });

  it('answers a browser with a page of the brand, and other clients with a problem, when it has expired or is wrong', async () => {
    const id = await madeFile('secret-name.pdf');
    const { url: expired } = await linkTo(id);
    await expire(id);
    const { url: other } = await linkTo(await madeFile('other-name.pdf'));
    const wrong = new URL(other.href.slice(0, -4));
    const cut = new URL(other.href.replace(/&signature=.*/, ''));
    const cases = [
      [expired, 410, 'This link has expired'],
      [wrong, 404, 'This link does not work'],
      [cut, 422, 'This link does not work'],
    ] as const;
    for (const [url, status, title] of cases) {
      const page = await open(url, browser);
      expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
        vary: 'Accept, Accept-Language',
      });
      const html = await page.text();
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(html).toContain('Meridian &amp; Palm');
      expect(html).not.toMatch(/-name|trial_|signature/);

      for (const accept of ['*/*', 'application/pdf']) {
        const problem = await open(url, { accept });
        expect([problem.status, problem.headers.get('content-type')]).toEqual([
          status,
          'application/problem+json; charset=utf-8',
        ]);
        expect(problem.headers.get('vary')).toContain('accept');
      }
    }
  });

  it('expires at the requested time', async () => {
    const id = await madeFile('short.pdf');
    const { url, expiresAt } = await linkTo(id, { expiresInSeconds: 1 });
    await expect.poll(async () => (await open(url)).status).toBe(410);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  });

  it('expires no later than the result', async () => {
    const id = await madeFile('bounded.pdf');
    const { expiresAt } = await linkTo(id, { expiresInSeconds: 7 * 24 * 3_600 });
    const job = await client.job(id);
    expect(Date.parse(job.resultExpiresAt ?? '') - Date.parse(expiresAt)).toBeLessThan(1_000);
    const { url } = await linkTo(id);
    await expire(id);
    expect((await open(url)).status).toBe(410);
    expect(await link(id)).toMatchObject({ status: 410 });
  });

  it.each([
    ['another job', (url: URL, other: string) => url.pathname.replace(/[^/]+$/, other) + url.search],
    ['a later time', (url: URL) => url.pathname + url.search.replace(/expires=\d+/, 'expires=99999999999')],
    ['no signature', (url: URL) => url.pathname + url.search.replace(/signature=.*/, 'signature=')],
    ['a shorter one', (url: URL) => url.pathname + url.search.slice(0, -4)],
  ])('returns 404 when changed to %s', async (_, change) => {
    const { url } = await linkTo(await madeFile('changed.pdf'));
    const other = await madeFile('other.pdf');
    expect((await open(new URL(change(url, other), service.origin))).status).toBe(404);
  });

  it('can be created for a succeeded job by its own client only', async () => {
    const finish = gate();
    trials.when('not yet', () => finish.opened.then(() => 'done'));
    const id = await start('not yet');
    expect(await link(id)).toMatchObject({ status: 409 });
    finish.open();
    await client.waitForJob(id);
    const otherClient = await service.client(['trial']);
    expect(await otherClient.request('POST', `/jobs/${id}/result-link`, { body: {} })).toMatchObject({ status: 404 });
    expect(await link(id, { expiresInSeconds: 0 })).toMatchObject({ status: 422 });
    expect(await link(id, { expiresInSeconds: 604_801 })).toMatchObject({ status: 422 });
  });
});
