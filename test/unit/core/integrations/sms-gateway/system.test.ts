/** What the SMS gateway receives, and how its answers are read. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SmsGateway } from '../../../../../core/integrations/sms-gateway/system.ts';
import smsGateway from '../../../../../core/integrations/sms-gateway/system.ts';
import { once, openClient, useVendor, vendorContext } from '../../../../support/vendor.ts';

const login = 'POST /login/user/';
const submit = 'POST /campaigns/submissions/sms/nb';
const balance = 'GET /account/balance';
const sms = { id: 'sms-1', to: '+971501234567', text: 'Hello', sender: 'PORTAL' };

const vendor = await useVendor();
let gateway: SmsGateway;

beforeEach(() => {
  vendor.on(login, { json: { token: 'first' } }, { json: { token: 'second' } });
  gateway = openClient(smsGateway, { SMS_URL: vendor.url, SMS_USERNAME: 'user', SMS_PASSWORD: 'word' });
});
afterEach(() => vi.useRealTimers());

describe('send', () => {
  it('logs in, and submits the number without its plus sign, with our id', async () => {
    vendor.on(submit, { json: { jobId: 4711, jobCost: '0.10' } });
    expect(await once(() => gateway.send(sms))).toEqual({ gatewayId: '4711' });
    const [loggedIn, submitted] = vendor.received;
    expect(loggedIn).toMatchObject({ call: login, body: { username: 'user', password: 'word' } });
    expect(submitted?.headers.authorization).toBe('Bearer first');
    expect(submitted?.body).toEqual({
      msgCategory: '4.5',
      contentType: '3.2',
      dndCategory: 'campaign',
      priority: 1,
      dr: '1',
      desc: 'sms-1',
      campaignName: 'sms-1',
      clientTxnId: 'sms-1',
      senderAddr: 'PORTAL',
      recipient: '971501234567',
      msg: 'Hello',
    });
  });

  it('returns no id where the gateway returned none', async () => {
    vendor.on(submit, { json: { jobCost: 0.1 } });
    expect(await once(() => gateway.send(sms))).toStrictEqual({});
  });

  it('fails with an unknown outcome when the answer names no cost', async () => {
    vendor.on(submit, { json: { jobId: '4711' } });
    const failure = { kind: 'unclear', status: 200 };
    await expect(once(() => gateway.send(sms))).rejects.toMatchObject({ code: 'upstream-failed', failure });
  });

  it('fails with upstream-unavailable and is not repeated when the balance is used up', async () => {
    vendor.on(submit, { status: 402, json: {} });
    await expect(once(() => gateway.send(sms))).rejects.toMatchObject({
      code: 'upstream-unavailable',
      transient: false,
      retryAfterSeconds: 3_600,
      message: expect.stringContaining('balance'),
      cause: { failure: { status: 402 } },
    });
  });

  it('fails with the gateway’s rejection otherwise', async () => {
    vendor.on(submit, { status: 400, json: {} });
    await expect(once(() => gateway.send(sms))).rejects.toMatchObject({
      code: 'upstream-failed',
      failure: { system: 'sms-gateway', status: 400 },
    });
  });

  it('is sent once when its answer is lost', async () => {
    vendor.on(submit, { drop: true });
    await expect(gateway.send(sms)).rejects.toMatchObject({ maybeExecuted: true });
    expect(vendor.calls()).toEqual([login, submit]);
  });
});

describe('the token', () => {
  it('is used for 14 minutes, and then replaced', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    vendor.on(balance, { json: { balance: 1, currency: 'AED' } });
    for (const seconds of [0, 14 * 60 - 1, 14 * 60]) {
      vi.setSystemTime(seconds * 1_000);
      await once(() => gateway.balance());
    }
    expect(vendor.received.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([
      'Bearer first',
      'Bearer first',
      'Bearer second',
    ]);
  });

  it('is replaced, and the call repeated, when the gateway rejects it', async () => {
    vendor.on(balance, { status: 401 }, { json: { balance: 1, currency: 'AED' } });
    await once(() => gateway.balance());
    expect(vendor.calls()).toEqual([login, balance, login, balance]);
  });

  it('must not be empty', async () => {
    vendor.on(login, { json: { token: '' } });
    await expect(once(() => gateway.balance())).rejects.toMatchObject({ code: 'upstream-failed' });
    expect(vendor.calls()).toEqual([login]);
  });
});

describe('balance', () => {
  it.each([
    ['12.5', '12.50'],
    [7, '7.00'],
  ])('reads %j as %s', async (given, read) => {
    vendor.on(balance, { json: { balance: given, currency: 'AED' } });
    expect(await once(() => gateway.balance())).toEqual({ balance: read, currency: 'AED' });
  });

  it('fails without an ISO code of the currency', async () => {
    vendor.on(balance, { json: { balance: 7, currency: 'DH' } });
    await expect(once(() => gateway.balance())).rejects.toMatchObject({ code: 'upstream-failed' });
  });

  it('is the probe', async () => {
    vendor.on(balance, { json: { balance: 7, currency: 'AED' } });
    await once(() => smsGateway.probe(vendorContext({ SMS_URL: vendor.url })));
    expect(vendor.calls()).toEqual([login, balance]);
  });
});

it('the sandbox’s telephony serves the system with its own credentials', async () => {
  vendor.on('POST /telephony/login/user/', { json: { token: 'sandbox token' } });
  vendor.on('GET /telephony/account/balance', { json: { balance: 1, currency: 'AED' } });
  const served = openClient(smsGateway, { SMS_USERNAME: 'user' }, { sandboxUrl: vendor.url });
  expect(await once(() => served.balance())).toEqual({ balance: '1.00', currency: 'AED' });
  expect(vendor.received[0]?.body).toEqual({ username: 'sandbox', password: 'sandbox' });
});
