/** The CRM as a system: its parts, their settings, and its sandbox. */
import { describe, expect, it } from 'vitest';
import crmSystem from '../../../../../core/integrations/crm/system.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';
import { once, openClient, useVendor, vendorContext } from '../../../../support/vendor.ts';

const vendor = await useVendor();

describe('a part of the CRM', () => {
  it('is opened once', () => {
    const crm = openClient(crmSystem, { CRM_URL: vendor.url, ...crmSettings });
    expect(crm.leads).toBe(crm.leads);
    expect(crm.deals).toBe(crm.deals);
    expect(crm.locations).toBe(crm.locations);
  });

  it('needs its own settings only', () => {
    const crm = openClient(crmSystem, {
      CRM_URL: vendor.url,
      CRM_PRIMARY_PIPELINES: '1',
      CRM_SECONDARY_PIPELINES: '2',
    });
    expect(crm.deals).toBeDefined();
    expect(() => crm.leads).toThrow('set CRM_LEAD_COUNTRY_FIELD');
    expect(() => crm.locations).toThrow('set CRM_LOCATION_ENTITY_TYPE');
  });
});

describe('the probe', () => {
  const probe = () => once(() => crmSystem.probe(vendorContext({ CRM_URL: vendor.url })));

  it('reads the permissions of the webhook and a user', async () => {
    vendor.on('POST /scope', { json: { result: ['crm', 'task', 'user'] } });
    vendor.on('POST /user.get', { json: { result: [] } });
    await probe();
    expect(vendor.received.map(({ body }) => body)).toEqual([{}, { FILTER: { ID: 1 } }]);
  });

  it('names the missing permissions', async () => {
    vendor.on('POST /scope', { json: { result: ['task'] } });
    await expect(probe()).rejects.toMatchObject({
      message: 'The webhook in CRM_URL lacks the permission crm and user.',
    });
  });
});

it('the check of the settings names missing ones', async () => {
  vendor.on('POST /batch', {
    json: {
      result: {
        result: { leads: { fields: [] }, pipelines: { categories: [] }, mode: 1 },
        result_error: [],
        result_total: [],
        result_time: [],
      },
    },
  });
  const findings = await once(() => crmSystem.checkSettings(vendorContext({ CRM_URL: vendor.url })));
  expect(findings).toEqual([
    expect.objectContaining({ level: 'failure', found: expect.stringContaining('CRM_LEAD_PAGE_FIELD') }),
  ]);
});

it('the sandbox serves the system with settings for all of its parts', async () => {
  vendor.on('POST /crm/rest/1/sandbox/user.get', { json: { result: [{ ID: '7', ACTIVE: true }] } });
  const crm = openClient(crmSystem, {}, { sandboxUrl: vendor.url });
  expect(await once(() => crm.users.get(7))).toMatchObject({ id: 7 });
  for (const part of [crm.deals, crm.leads, crm.locations]) expect(part).toBeDefined();
});
