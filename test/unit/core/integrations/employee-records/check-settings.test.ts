/** The settings are compared with the company and the fields of the employee records. */
import { beforeEach, describe, expect, it } from 'vitest';
import employeeRecords from '../../../../../core/integrations/employee-records/system.ts';
import { once, useVendor, vendorContext } from '../../../../support/vendor.ts';

const company = 'GET /api/resource/Company/Meridian%20Palm';
const list = 'GET /api/resource/Employee';
const ofCompany = { EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm', EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP' };

const vendor = await useVendor();

const check = (env: Record<string, string>) =>
  once(() => employeeRecords.checkSettings(vendorContext({ EMPLOYEE_RECORDS_URL: vendor.url, ...env })));

describe('the company', () => {
  it.each(['MP', null, ''])('is right with the abbreviation %j in the records', async abbr => {
    vendor.on(company, { json: { data: { abbr } } });
    expect(await check(ofCompany)).toEqual([]);
    expect(vendor.calls()).toEqual([company]);
  });

  it('that is not set is a warning', async () => {
    expect(await check({})).toEqual([
      expect.objectContaining({
        level: 'warning',
        found: expect.stringContaining('EMPLOYEE_RECORDS_COMPANY is not set'),
      }),
    ]);
    expect(vendor.calls()).toEqual([]);
  });

  it('that does not exist is a failure', async () => {
    vendor.on(company, { status: 404, json: {} });
    expect(await check(ofCompany)).toEqual([
      {
        level: 'failure',
        fix: 'correct it, also its case',
        found: 'EMPLOYEE_RECORDS_COMPANY: there is no company Meridian Palm',
      },
    ]);
  });

  it('with another abbreviation is a failure', async () => {
    vendor.on(company, { json: { data: { abbr: 'MPX' } } });
    expect(await check(ofCompany)).toEqual([expect.objectContaining({ level: 'failure', fix: 'set it to MPX' })]);
  });
});

describe('a custom field', () => {
  beforeEach(() => vendor.on(company, { json: { data: {} } }));
  const env = {
    ...ofCompany,
    EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_crm',
    EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'custom_dir',
  };

  it('is looked for by a list of one employee', async () => {
    vendor.on(list, { json: { data: [] } });
    expect(await check(env)).toEqual([]);
    expect(vendor.received.slice(1).map(({ query }) => query)).toEqual([
      { fields: '["name","custom_crm"]', limit_page_length: '1' },
      { fields: '["name","custom_dir"]', limit_page_length: '1' },
    ]);
  });

  it.each([417, 500])('does not exist when the records answer %i', async status => {
    vendor.on(list, { status, json: {} }, { json: { data: [] } });
    expect(await check(env)).toEqual([
      {
        level: 'failure',
        found: 'EMPLOYEE_RECORDS_CRM_ID_FIELD: employees have no field custom_crm',
        fix: 'correct it, or create the custom field in the doctype Employee',
      },
    ]);
  });

  it('cannot be checked when the records fail otherwise', async () => {
    vendor.on(list, { status: 403, json: {} });
    await expect(check(env)).rejects.toMatchObject({ failure: { status: 403 } });
    vendor.on(list, { drop: true });
    await expect(check(env)).rejects.toMatchObject({ code: 'upstream-failed' });
  });
});
