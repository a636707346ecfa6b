/** Tests the simulated CRM with two independent clients, one of them the vendor's. */
import { Bitrix } from '@2bad/bitrix';
import { ApiVersion, B24Hook } from '@bitrix24/b24jssdk';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useSandbox } from '../../support/sandbox.ts';

const sandbox = useSandbox();
let hook: B24Hook;

beforeAll(async () => {
  hook = officialClient(sandbox.url);
});
afterEach(() => sandbox.control.reset('crm'));

/** The vendor's client supports https only: rewrites its requests to the http port. */
function officialClient(url: string, maxRetries = 1): B24Hook {
  const client = new B24Hook(
    { b24Url: `${url}/crm`, userId: 1, secret: 'sandbox' },
    {
      restrictionParams: {
        maxRetries,
        retryDelay: 1,
        rateLimit: { burstLimit: 1_000, drainRate: 1_000, adaptiveEnabled: false },
      },
    },
  );
  client.offClientSideWarning();
  client.getHttpClient(ApiVersion.v2).ajaxClient.interceptors.request.use(request => ({
    ...request,
    baseURL: request.baseURL?.replace('https://', 'http://') ?? '',
    url: request.url?.replace('https://', 'http://') ?? '',
  }));
  return client;
}

describe('the vendor’s client', () => {
  it('calls a method', async () => {
    const response = await hook.actions.v2.call.make<{ ID: string }>({ method: 'profile' });
    expect(response.getData()?.result).toMatchObject({ ID: '1' });
  });

  it('reads a whole list by id', async () => {
    const response = await hook.actions.v2.callList.make<{ id: number }>({
      method: 'crm.item.list',
      params: { entityTypeId: 1224, select: ['id'] },
      idKey: 'id',
      customKeyForResult: 'items',
    });
    expect(new Set(response.getData()?.map(({ id }) => id)).size).toBe(300);
  });

  it('reads a whole list of a legacy method', async () => {
    const response = await hook.actions.v2.callList.make<{ ID: string }>({
      method: 'crm.deal.list',
      params: { select: ['ID'], filter: { CATEGORY_ID: 2 } },
      idKey: 'ID',
    });
    const deals = response.getData() ?? [];
    expect(deals.length).toBeGreaterThan(50);
    expect(new Set(deals.map(({ ID }) => ID)).size).toBe(deals.length);
  });

  it('runs a batch of named commands', async () => {
    const response = await hook.actions.v2.batch.make({
      calls: {
        lead: { method: 'crm.lead.get', params: { id: 1002 } },
        user: { method: 'user.get', params: { FILTER: { ID: '$result[lead][ASSIGNED_BY_ID]' } } },
      },
      options: { isHaltOnError: true, returnAjaxResult: false },
    });
    expect(response.isSuccess).toBe(true);
    expect(response.getData()).toMatchObject({ lead: { ID: '1002' }, user: [{ ACTIVE: expect.any(Boolean) }] });
  });

  it('adds a lead and reads it', async () => {
    const added = await hook.actions.v2.call.make<number>({
      method: 'crm.lead.add',
      params: { fields: { TITLE: 'By the SDK', EMAIL: [{ VALUE: 'sdk@mail.example', VALUE_TYPE: 'WORK' }] } },
    });
    const id = added.getData()?.result ?? 0;
    const read = await hook.actions.v2.call.make<object>({ method: 'crm.lead.get', params: { id } });
    expect(read.getData()?.result).toMatchObject({ TITLE: 'By the SDK', EMAIL: [{ VALUE: 'sdk@mail.example' }] });
  });

  it('understands an error with a code', async () => {
    const call = hook.actions.v2.call.make({ method: 'crm.item.get', params: { entityTypeId: 1222, id: 1 } });
    expect(await failureOf(call)).toMatch(/Item not found/);
  });

  it('understands an error without a code', async () =>
    expect(await failureOf(hook.actions.v2.call.make({ method: 'crm.lead.get', params: { id: 7 } }))).not.toBe(''));

  it('retries after a limit and succeeds', async () => {
    await sandbox.control.fault('crm', { fault: 'limit', path: 'profile', times: 1 });
    const patient = officialClient(sandbox.url, 3);
    expect((await patient.actions.v2.call.make({ method: 'profile' })).isSuccess).toBe(true);
    expect((await sandbox.control.requests('crm')).byStatus).toEqual({ 200: 1, 503: 1 });
  });
});

/** The client throws some errors and returns others. */
async function failureOf(call: Promise<{ isSuccess: boolean; getErrorMessages(): string[] }>): Promise<string> {
  try {
    const response = await call;
    return response.isSuccess ? '' : response.getErrorMessages().join('; ');
  } catch (error) {
    return String(error);
  }
}

describe('an independent client', () => {
  const client = () => Bitrix(`${sandbox.url}/crm/rest/1/sandbox`);

  it('reads deals by query string', async () => {
    const { result, total } = await client().deals.list({ select: ['ID', 'TITLE'], filter: { '>ID': 6_000 } as never });
    expect(result.length).toBe(total);
    expect(result.every(({ ID }) => Number(ID) > 6_000)).toBe(true);
  });

  it('creates a lead, changes and reads it', async () => {
    const { result: id } = await client().leads.create({ TITLE: 'Second opinion' });
    expect((await client().leads.update(String(id), { TITLE: 'Changed' })).result).toBe(true);
    expect((await client().leads.get(String(id))).result).toMatchObject({ ID: String(id), TITLE: 'Changed' });
  });

  it('reads a user', async () =>
    expect((await client().users.get('1')).result).toMatchObject([{ ID: '1', ACTIVE: true }]));

  it('reports an error', () => expect(client().leads.get('7')).rejects.toThrow());
});
