/** What the do-not-call registry receives, and how its answers are read. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { DncRegistry } from '../../../../../core/integrations/dnc-registry/system.ts';
import dncRegistry from '../../../../../core/integrations/dnc-registry/system.ts';
import { once, openClient, useVendor, vendorContext } from '../../../../support/vendor.ts';

const query = 'POST /dncr/query';
const numberAt = (index: number) => `+97150${String(1_000_000 + index)}`;
const nationalAt = (index: number) => `050${String(1_000_000 + index)}`;

const vendor = await useVendor();
let registry: DncRegistry;

beforeEach(() => {
  registry = openClient(dncRegistry, { DNC_URL: vendor.url, DNC_API_KEY: 'key' });
});

const check = (...numbers: string[]) => once(() => registry.check(numbers));

describe('check', () => {
  it('asks with national numbers and the API key, and answers with the numbers as given', async () => {
    vendor.on(query, { json: [{ accountNumber: '0501234567', dncrStatus: 'TRUE' }] });
    const { answers, failures } = await check('+971501234567');
    expect([...answers]).toEqual([['+971501234567', 'listed']]);
    expect(failures).toEqual([]);
    expect(vendor.received[0]?.body).toEqual({ accountNumbers: ['0501234567'] });
    expect(vendor.received[0]?.headers['x-api-key']).toBe('key');
  });

  it.each([
    ['TRUE', null, 'listed'],
    ['FALSE', null, 'clear'],
    ['FALSE', '', 'clear'],
    [null, null, 'unknown'],
    [undefined, undefined, 'unknown'],
    ['FALSE', 'FAILED', 'unknown'],
    ['TRUE', 'FAILED', 'unknown'],
  ])('the status %j with the transaction status %j is %s', async (dncrStatus, transactionStatus, read) => {
    vendor.on(query, { json: [{ accountNumber: '0501234567', dncrStatus, transactionStatus }] });
    expect((await check('+971501234567')).answers.get('+971501234567')).toBe(read);
  });

  it('leaves out numbers that it did not ask for, and those without an answer', async () => {
    vendor.on(query, { json: [{ accountNumber: '0509999999', dncrStatus: 'FALSE' }] });
    expect((await check('+971501234567')).answers).toEqual(new Map());
  });

  it('asks with a number of another form as it is', async () => {
    vendor.on(query, { json: [] });
    await check('+14155550123');
    expect(vendor.received[0]?.body).toEqual({ accountNumbers: ['+14155550123'] });
  });

  it('asks for 100 numbers a call, each number once', async () => {
    vendor.on(query, ({ body }) => {
      const { accountNumbers } = Object(body);
      return { json: accountNumbers.map((accountNumber: string) => ({ accountNumber, dncrStatus: 'FALSE' })) };
    });
    const { answers } = await check(...Array.from({ length: 201 }, (_, index) => numberAt(index)));
    expect(answers.size).toBe(201);
    const asked: string[][] = vendor.received.map(({ body }) => Object(body).accountNumbers);
    expect(asked.map(({ length }) => length).sort()).toEqual([1, 100, 100]);
    expect(asked.flat().sort()).toEqual(Array.from({ length: 201 }, (_, index) => nationalAt(index)));
  });

  it('sends nothing for no numbers', async () => {
    expect(await check()).toEqual({ answers: new Map(), failures: [] });
    expect(vendor.received).toEqual([]);
  });

  it('returns the answers of the calls that succeeded with the errors of the others', async () => {
    vendor.on(query, ({ body }) => {
      const [accountNumber] = Object(body).accountNumbers;
      return accountNumber === nationalAt(0)
        ? { json: [{ accountNumber, dncrStatus: 'FALSE' }] }
        : { status: 400, json: {} };
    });
    const { answers, failures } = await check(...Array.from({ length: 101 }, (_, index) => numberAt(index)));
    expect([...answers]).toEqual([[numberAt(0), 'clear']]);
    expect(failures).toEqual([expect.objectContaining({ code: 'upstream-failed' })]);
  });
});

describe('the probe', () => {
  const probe = () => once(() => dncRegistry.probe(vendorContext({ DNC_URL: vendor.url })));

  it('asks for a number that is not assigned', async () => {
    vendor.on(query, { json: [] });
    await probe();
    expect(vendor.received[0]?.body).toEqual({ accountNumbers: ['0500000000'] });
  });

  it('fails when the registry does not answer', async () => {
    vendor.on(query, { status: 401 });
    await expect(probe()).rejects.toMatchObject({ failure: { status: 401 } });
  });
});

it('names the registry, or the sandbox’s telephony, as the source of its answers', async () => {
  expect(registry.source).toBe('registry');
  expect(registry.config).toMatchObject({ DNC_CACHE_HOURS: 24, DNC_API_KEY: 'key' });
  const served = openClient(dncRegistry, {}, { sandboxUrl: vendor.url });
  expect(served.source).toBe('sandbox');
  vendor.on('POST /telephony/dncr/query', { json: [{ accountNumber: '0501234567', dncrStatus: 'FALSE' }] });
  expect((await once(() => served.check(['+971501234567']))).failures).toEqual([]);
  expect(vendor.received[0]?.headers['x-api-key']).toBe('sandbox');
});
