/** `deliver.email` sends the result of a brochure job to each recipient once. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { effectTable } from '../../../../core/effects/schema.ts';
import type { ApiClient } from '../../../support/api-client.ts';
import { type BrochureService, startBrochureService } from '../../../support/brochure-service.ts';
import { type MailReceiver, startMailReceiver } from '../../../support/mail-receiver.ts';

vi.setConfig({ testTimeout: 60_000 });

const scopes = ['pdf', 'pdf:mail'];

let mailServer: MailReceiver;
let brochures: BrochureService;
let client: ApiClient;

beforeAll(async () => {
  mailServer = await startMailReceiver();
  brochures = await startBrochureService('mail-delivery', await readFile('sandbox/photos/01.jpg'), undefined, {
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Portal Service <portal@service.example>',
    MAIL_ATTACHMENT_MB: '1',
    MAIL_RECIPIENTS_PER_CLIENT_DAY: '40',
  });
  client = await brochures.service.client(scopes);
});
afterAll(async () => {
  await brochures?.close();
  await mailServer?.close();
});

beforeEach(() => {
  mailServer.onRecipient = () => undefined;
});

/** A name of this test's own, so that its mails can be told from others. */
const address = (): string => `${randomUUID().slice(0, 8)}@buyers.example`;
const mailsTo = (to: string) => mailServer.mails.filter(mail => mail.to.includes(to));

const request = (email: object, more: object = {}) => ({
  list: [
    {
      reference_number: 'MP-S-2041',
      title_en: 'Beachfront villa <b>with a pool</b>',
      photo: [brochures.photos.photo(1)],
      agent: { name: 'Layla Haddad', email: 'layla@agents.example' },
    },
  ],
  deliver: { email },
  ...more,
});

async function print(email: object, more: object = {}, headers = {}, path = '/apps/portal/v1/pdf-new') {
  const { id } = await client.requestJob('POST', path, { body: request(email, more), headers });
  return await client.waitForJob(id);
}

/** Waits until the mail job has ended. @returns the printing job */
async function deliver(...given: Parameters<typeof print>) {
  const printed = await print(...given);
  expect(printed).toMatchObject({ state: 'succeeded', error: null });
  await client.waitForJob(printed.mail?.job ?? '');
  return await client.job(printed.id);
}

/** @returns the printing job once its mail job has the state */
const untilMail = (id: string, state: string) =>
  vi.waitUntil(
    async () => {
      const job = await client.job(id);
      return job.mail?.state === state && job;
    },
    { timeout: 20_000, interval: 50 },
  );

async function open(url: string) {
  const redirect = await fetch(url.replace('http://portal.example', brochures.service.origin), { redirect: 'manual' });
  const target = (redirect.headers.get('location') ?? '').replace('http://portal.example', brochures.service.origin);
  return await fetch(target, { headers: { accept: 'text/html' } });
}

/** Requests that look like clicks on a mail but are none leave its counts as they were. */
async function expectNoForgedClicks(url: string, jobId: string): Promise<void> {
  const counts = async (of = client) => await of.request('GET', `/jobs/${jobId}/mail-clicks`);
  const before = (await counts()).body;
  const slug = url.split('/').at(-1) ?? '';
  expect(slug.length).toBe(28);
  const person = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36' };
  const { origin } = brochures.service;
  const forged: [path: string, method: string][] = [
    [`/r/${slug}`, 'HEAD'],
    [`/r/${slug}`, 'POST'],
    [`/r/${slug.slice(0, -1)}`, 'GET'],
    [`/r/${slug}x`, 'GET'],
    [`/r/x?slug=${slug}`, 'GET'],
    [`/r/${slug}%00`, 'GET'],
    [`//r/${slug}`, 'GET'],
  ];
  for (const [path, method] of forged) {
    const answer = await fetch(origin + path, { method, headers: person, redirect: 'manual' });
    if (method !== 'HEAD') expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    // A suggestion would make a nearly right guess a right one.
    expect(await answer.text()).not.toContain('Did you mean');
  }
  // A click that is counted comes last, so that all before it have been written.
  await fetch(url.replace('http://portal.example', origin), { headers: person, redirect: 'manual' });
  const more = { total: z.object({ total: z.number() }).parse(before).total + 1 };
  await expect.poll(async () => (await counts()).body).toEqual({ ...z.looseObject({}).parse(before), ...more });
  const stranger = await brochures.service.client(scopes);
  expect((await counts(stranger)).status).toBe(404);
}

describe('a mail', () => {
  it('has the first page as a picture, an inline link with counted clicks, and the file', async () => {
    const to = address();
    const job = await deliver({ to, subject: 'Your villa', message: 'Dear Sir,\n\n<i>see</i> page 2.' });
    expect(job.mail).toEqual({
      job: job.id.replace('pdf_', 'pdf-mail_'),
      state: 'succeeded',
      error: null,
      warnings: [],
    });
    const [mail, ...others] = mailsTo(to);
    expect(others).toEqual([]);
    expect(mail?.headers).toMatchObject({
      from: '"Meridian & Palm" <portal@service.example>',
      'reply-to': 'layla@agents.example',
      to,
    });
    expect(mail?.subject).toBe('Your villa');
    expect(mail?.html).toContain('&lt;i&gt;see&lt;/i&gt; page 2.');
    expect(mail?.html).not.toContain('<b>with a pool');
    expect(mail?.text).toContain('<i>see</i> page 2.');
    expect(mail?.files.map(({ type, name }) => [type, name])).toEqual([
      ['image/png', 'logo.png'],
      ['image/jpeg', 'page.jpg'],
      ['application/pdf', 'MP-S-2041.pdf'],
    ]);
    const listed = await client.request('GET', '/jobs?kind=pdf&limit=1');
    expect(listed.body).toMatchObject({ items: [{ id: job.id, mail: job.mail }] });
    const pdf = await client.request('GET', `/jobs/${job.id}/result`);
    expect(mail?.files[2]?.body.equals(pdf.bytes)).toBe(true);

    const url = /http:\/\/portal\.example\/r\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
    expect(mail?.html).toContain(`href="${url}"`);
    const opened = await open(url);
    expect(opened.status).toBe(200);
    expect(opened.headers.get('content-disposition')).toMatch(/^inline/);
    expect(Buffer.from(await opened.arrayBuffer()).equals(pdf.bytes)).toBe(true);
    await expect
      .poll(async () => (await client.request('GET', `/jobs/${job.id}/mail-clicks`)).body)
      .toMatchObject({ bots: 1 });
    await expectNoForgedClicks(url, job.id);
    expect(await client.job(job.mail?.job ?? '')).toMatchObject({
      kind: 'pdf-mail',
      result: { recipients: 1, sent: 1, attached: true, link: { expiresAt: expect.any(String) } },
    });
  });

  it('is right-to-left in Arabic, and shows the cover of a list', async () => {
    const to = address();
    const list = [1, 2, 3, 4].map(number => ({
      reference_number: `R-${number}`,
      title_en: `فيلا ${number}`,
      photo: [brochures.photos.photo(number)],
    }));
    await deliver({ to }, { list, cover: true, language: 'ar' });
    const [mail] = mailsTo(to);
    expect(mail?.html).toContain('dir="rtl"');
    expect(mail?.html).toContain('افتح الكتيّب');
    expect(mail?.subject).toBe('4 عقارات – Meridian & Palm');
    expect(mail?.text).toContain('- فيلا 3');
    expect(mail?.headers['reply-to']).toBe('homes@meridianpalm.example');
    expect(mail?.files.map(({ name }) => name)).toContain('page.jpg');
  });

  it('has the ZIP of files of each listing, in the brand of the request', async () => {
    const to = address();
    const files = { images: ['landscape'] };
    await deliver({ to }, { files, brand: 'northline' }, {}, '/apps/portal/v1/pdf/files');
    const [mail] = mailsTo(to);
    expect(mail?.headers.from).toBe('Northline Commercial <portal@service.example>');
    expect(mail?.text).toContain('Download the files');
    expect(mail?.files.map(({ name }) => name)).toEqual(['logo.png', 'page.jpg', 'MP-S-2041.zip']);
  });
});

describe('marketing', () => {
  const consent = { source: 'website form', at: '2026-01-31T08:00:00Z' };

  it('without evidence of consent is rejected, and prints nothing', async () => {
    const body = request({ to: address(), kind: 'marketing' });
    expect(await client.request('POST', '/apps/portal/v1/pdf-new', { body })).toMatchObject({
      status: 422,
      body: { type: expect.stringContaining('consent-missing') },
    });
  });

  it('has a link and a header that stop it with one click; later marketing is not sent, other mails are', async () => {
    const [to, other] = [address(), address()];
    await deliver({ to, kind: 'marketing', consent });
    const [mail] = mailsTo(to);
    const [, url = ''] = /<(.+)>/.exec(String(mail?.headers['list-unsubscribe'])) ?? [];
    expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    expect(mail?.text).toContain(`Stop such mails: ${url}`);
    const { pathname, search } = new URL(url);
    const stopped = await fetch(brochures.service.origin + pathname + search, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(stopped.status).toBe(200);
    const later = await deliver({ to: [to.toUpperCase(), other], kind: 'marketing', consent });
    expect(later.mail?.warnings).toMatchObject([{ pointer: '/deliver/email/to/0', code: 'message-not-permitted' }]);
    await deliver({ to, subject: 'Your contract' });
    expect(mailsTo(to).map(({ subject }) => subject)).toHaveLength(2);
    expect(mailsTo(other)).toHaveLength(1);
  });
});

describe('each recipient gets one mail', () => {
  it('when a request is repeated with its key, and again for another request with the same brochure', async () => {
    const to = address();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await deliver({ to }, {}, headers);
    expect((await deliver({ to }, {}, headers)).id).toBe(first.id);
    expect(mailsTo(to)).toHaveLength(1);
    const second = await deliver({ to });
    expect(second.id).not.toBe(first.id);
    expect(second.result).toEqual(first.result);
    expect(mailsTo(to)).toHaveLength(2);
  });

  it('in a message of its own, also when its address is listed twice', async () => {
    const [one, other] = [address(), address()];
    const { mail } = await deliver({ to: [one, other, one.toUpperCase()] });
    expect(mailsTo(other).map(({ to, headers }) => [to, headers.to])).toEqual([[[other], other]]);
    expect(mailServer.mails.filter(({ to }) => to[0]?.toLowerCase() === one)).toHaveLength(1);
    expect(await client.job(mail?.job ?? '')).toMatchObject({ result: { recipients: 2, sent: 2 } });
  });

  it('when the mail server refuses another one', async () => {
    const [good, unknown] = [address(), address()];
    mailServer.onRecipient = to => (to === unknown ? 550 : undefined);
    const { mail } = await deliver({ to: [unknown, good] });
    expect(mailsTo(good)).toHaveLength(1);
    expect(mail).toMatchObject({
      state: 'succeeded',
      warnings: [{ pointer: '/deliver/email/to/0', code: 'mail-rejected', detail: expect.stringContaining('550') }],
    });
  });

  it('when the mail server accepts another one later (greylisting), which waits', async () => {
    const [good, delayed, unknown] = [address(), address(), address()];
    let [delays, refusals] = [2, 0];
    mailServer.onRecipient = to => {
      if (to === unknown) refusals++;
      if (to === unknown) return 550;
      return to === delayed && delays-- > 0 ? 451 : undefined;
    };
    const { mail } = await deliver({ to: [good, delayed, unknown] });
    expect(mail).toMatchObject({ state: 'succeeded', warnings: [{ pointer: '/deliver/email/to/2' }] });
    expect([mailsTo(good).length, mailsTo(delayed).length, refusals]).toEqual([1, 1, 1]);
    expect(await client.job(mail?.job ?? '')).toMatchObject({ attempts: { made: 1 }, result: { sent: 2 } });
  });

  it('when the server closes the connection before its answer; the outcome is unknown, and a retry does not send', async () => {
    const to = address();
    mailServer.drop(1);
    const { id, mail } = await deliver({ to });
    expect(mail).toMatchObject({ state: 'failed', error: { code: 'mail-outcome-unknown' } });
    await client.requestJob('POST', `/jobs/${mail?.job}/retry`);
    await client.waitForJob(mail?.job ?? '');
    expect((await client.job(id)).mail).toMatchObject({ state: 'failed', error: { code: 'mail-outcome-unknown' } });
    expect(mailsTo(to)).toHaveLength(1);
    expect((await client.request('GET', `/jobs/${id}/result`)).status).toBe(200);
  });

  it('or none, when the worker was killed while it sent the mail', async () => {
    const to = address();
    const { id } = await client.requestJob('POST', '/apps/portal/v1/pdf', { body: request({ to }) });
    const effect = { kind: 'brochure-mail', system: 'mail', state: 'claimed' as const };
    await brochures.service.database.insert(effectTable).values({
      ...effect,
      key: `mail:${id.replace('pdf_', 'pdf-mail_')}-0`,
      leaseId: randomUUID(),
      leasedUntil: sql`now()`,
    });
    expect((await untilMail(id, 'failed')).mail?.error).toMatchObject({ code: 'mail-outcome-unknown', status: 502 });
    expect(mailsTo(to)).toEqual([]);
  });
});

describe('a mail server', () => {
  it('that is down delays the mail; the brochure is available, and the reason is on the job', async () => {
    const { port } = mailServer;
    await mailServer.close();
    const to = address();
    const printed = await print({ to });
    const waiting = await untilMail(printed.id, 'scheduled');
    expect(waiting.mail?.error).toMatchObject({ code: 'waiting-for-system', upstream: { system: 'mail' } });
    expect((await client.request('GET', `/jobs/${printed.id}/result`)).status).toBe(200);
    const { body } = await client.request('GET', `/jobs/${waiting.mail?.job}/explain`);
    expect(body).toMatchObject({ cause: 'system-unavailable', reason: expect.stringContaining('mail, SMTP CONN') });
    mailServer = await startMailReceiver(port);
    await untilMail(printed.id, 'succeeded');
    expect(mailsTo(to)).toHaveLength(1);
  });

  it('that refuses the only recipient fails the mail job with 422; a retry sends', async () => {
    const to = address();
    mailServer.onRecipient = one => (one === to ? 550 : undefined);
    const { id, mail } = await deliver({ to });
    expect(mail).toMatchObject({ state: 'failed', error: { code: 'mail-rejected', status: 422 } });
    mailServer.onRecipient = () => undefined;
    await client.requestJob('POST', `/jobs/${mail?.job}/retry`);
    await untilMail(id, 'succeeded');
    expect(mailsTo(to)).toHaveLength(1);
  });

  it.each([
    ['announces a size below that of the mail', () => mailServer.limit(380_000)],
    ['refuses the message because of its size', (to: string) => mailServer.reject(552, to)],
  ])('that %s gets the mail without the file', async (_, refuse) => {
    const to = address();
    refuse(to);
    const { mail } = await deliver({ to });
    mailServer.limit(0);
    expect(mail).toMatchObject({ state: 'succeeded', warnings: [{ code: 'mail-not-attached' }] });
    const [received, ...others] = mailsTo(to);
    expect(others).toEqual([]);
    expect(received?.files.map(({ name }) => name)).toEqual(['logo.png', 'page.jpg']);
    expect(received?.text).not.toContain('attached');
  });

  it('that refuses the message for another reason fails the mail job', async () => {
    const to = address();
    mailServer.reject(554, to);
    const { mail } = await deliver({ to });
    expect(mail).toMatchObject({ state: 'failed', error: { code: 'mail-rejected' } });
  });

  it('gets no file above MAIL_ATTACHMENT_MB', async () => {
    const to = address();
    const list = Array.from({ length: 8 }, (_, at) => ({ ...request({}).list[0], reference_number: `R-${at}` }));
    const job = await deliver({ to }, { list, files: { pdf: true } }, {}, '/apps/portal/v1/pdf/files');
    expect(job.result).toHaveProperty(
      'bytes',
      expect.toSatisfy((bytes: number) => bytes > 1_000_000),
    );
    expect(await client.job(job.mail?.job ?? '')).toMatchObject({ result: { attached: false }, warnings: [] });
    expect(mailsTo(to)[0]?.files.map(({ name }) => name)).toEqual(['logo.png', 'page.jpg']);
  });
});

describe('a request', () => {
  const call = (email: object, by = client, more: object = {}) =>
    by.request('POST', '/apps/portal/v1/pdf', { body: request(email, more) });

  it.each([
    [{ to: 'no address' }, '/deliver/email/to'],
    [{ to: ['a@b.example', 'x@y'] }, '/deliver/email/to/1'],
    [{ to: 'a@b.example\r\nBcc: c@d.example' }, '/deliver/email/to'],
    [{ to: 'A <a@b.example>' }, '/deliver/email/to'],
    [{ to: [] }, '/deliver/email/to'],
    [{ to: Array.from({ length: 11 }, (_, at) => `a${at}@b.example`) }, '/deliver/email/to'],
    [{ to: 'a@b.example', subject: 'Villa\r\nBcc: c@d.example' }, '/deliver/email/subject'],
    [{ to: 'a@b.example', subject: 'Villa \u202egpj.exe' }, '/deliver/email/subject'],
    [{ to: 'a@b.example', message: 'bell \u0007' }, '/deliver/email/message'],
    [{ to: 'a@b.example', cc: 'c@d.example' }, '/deliver/email/cc'],
    [{ subject: 'Villa' }, '/deliver/email/to'],
  ])('is rejected with 422 for %j', async (email, pointer) => {
    const { status, body } = await call(email);
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ pointer }] });
  });

  it('needs the scope pdf:mail, also to be validated', async () => {
    const other = await brochures.service.client(['pdf']);
    for (const more of [{}, { validateOnly: true }]) {
      const { status, body } = await call({ to: address() }, other, more);
      expect([status, body]).toMatchObject([403, { code: 'insufficient-scope' }]);
    }
  });

  it('is limited to the recipients of a day, which a rejected or repeated request does not use up', async () => {
    const other = await brochures.service.client(scopes);
    const many = (count: number) => ({ to: Array.from({ length: count }, address) });
    for (let round = 0; round < 3; round++) expect((await call(many(10), other)).status).toBe(202);
    const body = request(many(9));
    const headers = { 'idempotency-key': randomUUID() };
    for (let round = 0; round < 2; round++)
      expect((await other.request('POST', '/apps/portal/v1/pdf', { body, headers })).status).toBeLessThan(300);
    const exceeding = await call(many(2), other);
    expect([exceeding.status, exceeding.body]).toMatchObject([429, { code: 'too-many-requests' }]);
    expect(Number(exceeding.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await call(many(1), other)).status).toBe(202);
  });

  it('stores no address with the job, its events or its queue message', async () => {
    const to = address();
    mailServer.onRecipient = one => (one === to ? 550 : undefined);
    const { id, mail } = await deliver({ to });
    const { rows } = await brochures.service.database.execute(sql`
      select job::text, (select string_agg(event::text, ' ') from job_event as event where event.job_id = job.id) as events
      from job where id in (${id}, ${mail?.job})`);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(to);
    const effects = await brochures.service.database.execute(sql`select effect::text from effect`);
    expect(JSON.stringify(effects.rows)).not.toContain('buyers.example');
  });
});
