/** SMS, do-not-call status and balance over HTTP, with the sandbox's gateway and registry. */
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { smsMessageTable } from '../../../../../core/domain/telephony/schema.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { useSandbox } from '../../../../support/sandbox.ts';
import { startTestService, useService } from '../../../../support/test-service.ts';

const path = '/apps/telephony/v1/sms/send';
/** The sandbox's registry lists numbers that end in 7, and fails for those that end in 99. */
const clear = '050 123 4561';
const listed = '050 123 4567';
const unavailable = '050 123 4599';

const Message = z.object({ sender: z.string(), recipient: z.string(), text: z.string(), parts: z.int() });

const sandbox = useSandbox();
const service = useService('telephony', () => ({
  sandboxUrl: sandbox.url,
  env: { SMS_SENDER: 'PALM', SMS_PARTS_PER_CLIENT_DAY: '20' },
}));
let client: ApiClient;

beforeEach(async () => {
  await sandbox.control.reset('telephony');
  client = await service.client(['telephony']);
});

const send = (body: object, headers: Record<string, string> = {}) => client.request('POST', path, { body, headers });

async function sentMessages() {
  const { latest } = await sandbox.control.rows('telephony', 'messages');
  return z.array(Message).parse(latest);
}

describe('sending an SMS', () => {
  it('sends to the normalized number and returns the number of parts', async () => {
    const reply = await send({ to: clear, text: 'Your viewing is at 4 pm.' });
    expect(reply).toMatchObject({ status: 201, body: { to: '+971501234561', status: 'sent', parts: 1 } });
    expect(reply.headers.get('portal-sandbox')).toBe('telephony');
    expect(await sentMessages()).toEqual([
      { sender: 'PALM', recipient: '971501234561', text: 'Your viewing is at 4 pm.', parts: 1 },
    ]);
  });

  it('inserts a short link of its own that redirects to the given URL', async () => {
    const body = { to: clear, text: 'See {link} today', link: 'https://example.com/viewing/42' };
    const first = await send(body);
    const second = await send(body);
    const urls = [first, second].map(({ body: sent }) => z.object({ shortUrl: z.url() }).parse(sent).shortUrl);
    expect(new Set(urls).size).toBe(2);
    expect((await sentMessages()).map(({ text }) => text).sort()).toEqual(urls.map(url => `See ${url} today`).sort());
    const opened = await fetch(service.origin + new URL(urls[0] ?? '').pathname, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, 'https://example.com/viewing/42']);
  });

  it('counts a part per 70 characters of Arabic text', async () => {
    const reply = await send({ to: clear, text: 'م'.repeat(71) });
    expect(reply).toMatchObject({ status: 201, body: { parts: 2 } });
  });

  it('stores neither text nor number in the database', async () => {
    await send({ to: clear, text: 'Dear Sara' });
    const rows = JSON.stringify(await service.database.select().from(smsMessageTable));
    expect(rows).toContain('"sent"');
    expect(rows).not.toMatch(/Sara|501234561/);
  });
});

describe('an SMS is rejected and not sent', () => {
  it.each([
    ['a listed number', { to: listed, text: 'Hello' }, 403, 'on the do-not-call registry'],
    ['a number whose status the registry cannot return', { to: unavailable, text: 'Hello' }, 403, 'counts as listed'],
    ['an unknown kind', { to: clear, text: 'Hello', kind: 'spam' }, 422, 'one fault'],
  ])('for %s', async (_, body, status, detail) => {
    const reply = await send(body);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ detail: expect.stringContaining(detail) });
    expect(await sentMessages()).toEqual([]);
  });

  it.each([
    ['an invalid number', { to: '12', text: 'Hello' }, '/to'],
    ['an empty text', { to: clear, text: '  ' }, '/text'],
    ['a text of 2,000 characters', { to: clear, text: 'a'.repeat(2_000) }, '/text'],
    ['the placeholder {link} without a link', { to: clear, text: 'See {link}' }, '/link'],
    ['a link without the placeholder', { to: clear, text: 'See', link: 'https://example.com' }, '/text'],
    ['a link that is not a web URL', { to: clear, text: '{link}', link: 'javascript:alert(1)' }, '/link'],
  ])('for %s, with a pointer to it', async (_, body, pointer) => {
    const reply = await send(body);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    expect(await sentMessages()).toEqual([]);
  });

  it('with the number of parts when the text is too long', async () =>
    expect(JSON.stringify((await send({ to: clear, text: 'a'.repeat(2_000) })).body)).toContain(
      'takes 14 SMS (GSM-7); the maximum is 10',
    ));

  it('with 429 above the daily limit of the client; other clients are not affected', async () => {
    const long = { to: clear, text: 'a'.repeat(1_500) };
    expect((await send(long)).status).toBe(201);
    expect((await send(long)).status).toBe(201);
    const reply = await send({ to: clear, text: 'one more' });
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await service.client(['telephony']);
    expect((await other.request('POST', path, { body: { to: clear, text: 'mine' } })).status).toBe(201);
  });

  it('when the balance is used up; the same Idempotency-Key sends it after a top-up', async () => {
    await sandbox.control.settings('telephony', { balance: 0 });
    const key = { 'idempotency-key': 'balance' };
    const reply = await send({ to: clear, text: 'Hello' }, key);
    expect(reply).toMatchObject({ status: 503, body: { detail: expect.stringContaining('topped up') } });
    await sandbox.control.settings('telephony', { balance: 100 });
    expect((await send({ to: clear, text: 'Hello' }, key)).status).toBe(201);
  });
});

describe('with one Idempotency-Key', () => {
  const key = { 'idempotency-key': 'viewing-42' };
  const body = { to: clear, text: 'Hello' };

  it('sends one SMS and repeats the first response', async () => {
    const replies = [await send(body, key), await send(body, key)];
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    expect(replies[1]?.body).toEqual(replies[0]?.body);
    expect(await sentMessages()).toHaveLength(1);
  });

  it('does not send again when the gateway’s response was lost', async () => {
    await send({ to: clear, text: 'The first message, which logs the service in' });
    await sandbox.control.fault('telephony', { fault: 'drop-after-commit', path: 'submissions' });
    const reply = await send(body, key);
    expect(reply).toMatchObject({ status: 504, body: { detail: expect.stringContaining('may have been sent') } });
    expect(await send(body, key)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('it is not repeated') },
    });
    expect(await sentMessages()).toHaveLength(2);
  });

  it('retries and sends one SMS when the gateway rejects the first call temporarily', async () => {
    await sandbox.control.fault('telephony', { fault: 'limit', path: 'submissions' });
    expect((await send(body, key)).status).toBe(201);
    expect(await sentMessages()).toHaveLength(1);
  });
});

describe('sending by GET', () => {
  const query = `${path}?${new URLSearchParams({ to: clear, text: 'Hello' })}`;

  it('sends once for the same request and repeats the first response', async () => {
    const first = await client.request('GET', query);
    const replay = await client.request('GET', query);
    expect(first).toMatchObject({ status: 200, body: { status: 'sent' } });
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(replay.body).toEqual(first.body);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
    expect(await sentMessages()).toHaveLength(1);
  });

  it.each([
    ['a prefetch by a browser', { 'sec-purpose': 'prefetch' }],
    ['a link preview by a chat app', { 'user-agent': 'WhatsApp/2.23.20 A' }],
  ])('returns 403 and sends nothing for %s', async (_, headers) => {
    expect((await client.request('GET', query, { headers })).status).toBe(403);
    expect(await sentMessages()).toEqual([]);
  });

  it('returns 422 for the same Idempotency-Key with another message', async () => {
    const headers = { 'idempotency-key': 'get-1' };
    await client.request('GET', query, { headers });
    const other = `${path}?${new URLSearchParams({ to: clear, text: 'Something else' })}`;
    expect((await client.request('GET', other, { headers })).status).toBe(422);
  });

  it('returns 422 with a pointer to each error in the query', async () => {
    const wrong = await client.request('GET', `${path}?${new URLSearchParams({ to: 'x', text: 'Hello' })}`);
    expect(wrong).toMatchObject({ status: 422, body: { errors: [{ in: 'query', pointer: '/to' }] } });
  });
});

describe('the do-not-call status', () => {
  const check = (numbers: string[], refresh = false) =>
    client.request('POST', '/apps/telephony/v1/dnc/check', { body: { numbers, refresh } });
  const Items = z.object({ items: z.array(z.object({ status: z.string(), e164: z.string().nullable() })) });

  it('is returned for each number in the order of the request, in any spelling', async () => {
    const reply = await check(['+971 50 123 4561', '00971501234567', '0501234599', 'not a number', '+442079460958']);
    expect(Items.parse(reply.body).items).toEqual([
      { status: 'clear', e164: '+971501234561' },
      { status: 'listed', e164: '+971501234567' },
      { status: 'unknown', e164: '+971501234599' },
      { status: 'invalid', e164: null },
      { status: 'clear', e164: '+442079460958' },
    ]);
  });

  it('is cached, unless refresh is set', async () => {
    const number = '0551230001';
    const calls = async () => (await sandbox.control.requests('telephony')).byPath['POST /dncr/query'] ?? 0;
    await check([number]);
    await check([number]);
    expect(await calls()).toBe(1);
    await check([number], true);
    expect(await calls()).toBe(2);
  });

  it('of 1,000 numbers takes ten calls; a failed call affects its own 100 numbers only', async () => {
    await sandbox.control.fault('telephony', { fault: 'unauthorized', path: 'dncr' });
    const numbers = Array.from({ length: 1_000 }, (_, index) => `05620${String(index).padStart(4, '0')}0`);
    const { items } = Items.parse((await check(numbers)).body);
    expect(items.filter(({ status }) => status === 'unknown')).toHaveLength(100);
    expect(items.filter(({ status }) => status === 'clear')).toHaveLength(900);
  });

  it('returns 502 when the registry is down', async () => {
    await sandbox.control.fault('telephony', { fault: 'unauthorized', path: 'dncr', times: 10 });
    expect((await check(['0551239991'])).status).toBe(502);
  });

  it('returns 422 for more than 1,000 numbers and for none', async () => {
    expect((await check([])).status).toBe(422);
    expect((await check(Array.from({ length: 1_001 }, () => clear))).status).toBe(422);
  });
});

it('returns the balance of the gateway', async () => {
  await send({ to: clear, text: 'Hello' });
  const reply = await client.request('GET', '/apps/telephony/v1/sms/balance');
  expect(reply).toMatchObject({ status: 200, body: { balance: '4999.92', currency: 'AED' } });
});

it('returns 503 with the name of the missing setting when no gateway is configured', async () => {
  const bare = await startTestService('telephony not configured');
  try {
    const reply = await (await bare.client(['telephony'])).request('GET', '/apps/telephony/v1/sms/balance');
    expect(reply).toMatchObject({ status: 503, body: { detail: expect.stringContaining('SMS_URL') } });
  } finally {
    await bare.close();
  }
});
