/** Connecting a system: what is missing, what the command proposes, and what the doctor says about settings and account. */
import { execFile } from 'node:child_process';
import { parseEnv, promisify } from 'node:util';
import { pino } from 'pino';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runChecks } from '../../../../core/doctor/check.ts';
import systemChecks from '../../../../core/doctor/checks/systems.ts';
import { contextOf } from '../../../../core/doctor/context.ts';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import { openIntegrationContext } from '../../../../core/integrations/kit/context.ts';
import { rootFolder } from '../../../../core/runtime/discover.ts';
import { crmSettings } from '../../../support/crm-webhook.ts';
import { builtProgram } from '../../../support/processes.ts';
import { useSandbox } from '../../../support/sandbox.ts';

const sandbox = useSandbox();
let url: string;
beforeAll(async () => {
  url = `${sandbox.url}/crm/rest/1/sandbox`;
});

const open = (env: Record<string, string>) =>
  openIntegrationContext({
    env: { CRM_URL: url, ...env },
    sandboxUrl: undefined,
    budgets: { take: async () => undefined, block: async () => {} },
    logger: pino({ level: 'silent' }),
  });

/** The doctor's findings after the first, which says that the CRM answers. */
async function findings(env: Record<string, string>): Promise<string[]> {
  const [first, ...others] = await allFindings('crm', env);
  expect(first).toMatch(/^ok The CRM answers/);
  return others;
}

async function allFindings(system: string, env: Record<string, string>): Promise<string[]> {
  const checks = (await systemChecks()).filter(({ name }) => name === system);
  const [checked] = await Promise.all(runChecks(checks, contextOf(open(env))));
  return (checked?.findings ?? []).map(
    ({ level, found, fix }) => `${level} ${found}${fix === undefined ? '' : `: ${fix}`}`,
  );
}

describe('without its own ids and field names', () => {
  const missing = [
    ['deals', 'CRM_PRIMARY_PIPELINES, CRM_SECONDARY_PIPELINES'],
    [
      'locations',
      'CRM_LOCATION_ENTITY_TYPE, CRM_LOCATION_TYPE_FIELD, CRM_LOCATION_PARENT_FIELD, CRM_LOCATION_PORTAL_ID_FIELD, CRM_LOCATION_ARABIC_FIELD',
    ],
    [
      'leads',
      'CRM_LEAD_COUNTRY_FIELD, CRM_LEAD_DNC_FIELD, CRM_LEAD_LOCATIONS_FIELD, CRM_LEAD_AGENT_FIELD, CRM_LEAD_ACTIVITY_FIELD, CRM_LEAD_CONSENT_FIELD, CRM_LEAD_PAGE_FIELD',
    ],
  ] as const;

  it.each(missing)('a CRM answers no calls about %s, and names the settings', async (records, settings) => {
    const crm = crmSystem.client(open({}));
    expect(() => crm[records]).toThrow(
      expect.objectContaining({
        code: 'system-not-configured',
        message: `The CRM is not completely configured here: set ${settings} (npm run connect -- crm proposes values).`,
      }),
    );
    expect(await crm.users.get(1)).toMatchObject({ id: 1 });
  });

  it('the doctor names all of them', async () => {
    const all = missing.map(([, settings]) => settings).join(', ');
    expect(await findings({})).toEqual([
      `failure not set: ${all}; operations that need them return 503: set them; \`npm run connect -- crm\` proposes values`,
    ]);
  });
});

describe('the doctor', () => {
  const lists = '`npm run connect -- crm` lists them';

  it('reports nothing when all settings agree with the CRM', async () =>
    expect(await findings(crmSettings)).toEqual([]));

  it.each([
    [
      { CRM_LOCATION_ENTITY_TYPE: '1300' },
      `CRM_LOCATION_ENTITY_TYPE: the CRM has no smart process 1300: correct it; ${lists}`,
    ],
    [
      { CRM_LOCATION_PARENT_FIELD: 'ufCrm8Owner' },
      `CRM_LOCATION_PARENT_FIELD: the CRM has no field ufCrm8Owner: correct it, or create the field; ${lists}`,
    ],
    [
      { CRM_LEAD_DNC_FIELD: 'UF_CRM_DNC' },
      `CRM_LEAD_DNC_FIELD: the CRM has no field UF_CRM_DNC: correct it, or create the field; ${lists}`,
    ],
    [
      { CRM_LEAD_CONSENT_FIELD: 'UF_CRM_PAGE_URL' },
      `CRM_LEAD_CONSENT_FIELD: the field UF_CRM_PAGE_URL has the type string, but must have boolean: correct it, or create the field; ${lists}`,
    ],
    [
      { CRM_SECONDARY_PIPELINES: '1,77' },
      `CRM_SECONDARY_PIPELINES: the CRM has no deal pipeline 77, or the user of the webhook may not read it: correct it; ${lists}`,
    ],
  ])('reports %j', async (change, expected) =>
    expect(await findings({ ...crmSettings, ...change })).toEqual([`failure ${expected}`]),
  );
});

describe('a webhook that the CRM does not accept', () => {
  const remedies = [
    [
      { scopes: ['crm'] },
      'The webhook in CRM_URL lacks the permission user: tick crm and user in the settings of the webhook, as the employee who created it',
    ],
    [
      { scopes: ['user'] },
      'The webhook in CRM_URL lacks the permission crm: tick crm and user in the settings of the webhook, as the employee who created it',
    ],
    [
      { webhook: 'not-in-plan' },
      'the plan of the CRM account does not include REST (ACCESS_DENIED): book a paid plan with a Market subscription',
    ],
    [
      { webhook: 'expired' },
      'the CRM has no active webhook with the user and secret in CRM_URL (INVALID_CREDENTIALS): it has expired, was deleted, or has another secret: create an incoming webhook without an expiration date, and set CRM_URL to its URL',
    ],
  ] as const;
  afterEach(() => sandbox.control.reset('crm'));

  it.each(remedies)('%j has its own remedy in the doctor', async (settings, remedy) => {
    await sandbox.control.settings('crm', settings);
    expect(await allFindings('crm', crmSettings)).toEqual([`failure ${remedy}`]);
  });

  it.each(remedies)('%j has its own remedy in connect', async (settings, remedy) => {
    await sandbox.control.settings('crm', settings);
    await expect(run('crm', { CRM_URL: url })).rejects.toMatchObject({ code: 1, stderr: `${remedy}.\n` });
  });
});

describe('the base path of the directory', () => {
  const remedy =
    'failure DIRECTORY_URL is not the base path of the directory’s API: set it to https://console.jumpcloud.com/api (EU: https://console.eu.jumpcloud.com/api), without /v2';
  const directory = { DIRECTORY_API_KEY: 'sandbox' };
  afterEach(() => sandbox.control.reset('directory'));

  it.each(['/v2', '/api'])('has its own remedy when it ends in %s', async path => {
    const env = { ...directory, DIRECTORY_URL: `${sandbox.url}/directory${path}` };
    expect(await allFindings('directory', env)).toEqual([remedy]);
  });

  it.each(['html-200', 'html-404'] as const)('has its own remedy when it leads to a page (%s)', async fault => {
    await sandbox.control.fault('directory', { fault });
    const env = { ...directory, DIRECTORY_URL: `${sandbox.url}/directory` };
    expect(await allFindings('directory', env)).toEqual([remedy]);
  });
});

/** The command with the settings of one system. */
const run = (argument: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [...builtProgram('core/cli/connect.ts'), argument], {
    cwd: rootFolder,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
  });

describe('npm run connect -- crm', () => {
  it('proposes settings that the doctor accepts, and writes nothing', async () => {
    await sandbox.control.reset('crm');
    const { stdout } = await run('crm', { CRM_URL: url });
    expect(parseEnv(stdout)).toEqual(crmSettings);
    expect(await findings({ ...crmSettings, ...parseEnv(stdout) })).toEqual([]);
    const { byPath } = await sandbox.control.requests('crm');
    expect(Object.keys(byPath).filter(path => !/\/(batch|scope|user\.get)$/.test(path))).toEqual([]);
  });

  it('says that only an administrator of the CRM sees its smart processes', async () => {
    const { stdout } = await run('crm', { CRM_URL: url.replace('/rest/1/', '/rest/2/') });
    expect(stdout).toContain('(ACCESS_DENIED): create the webhook as an administrator of the CRM.');
    expect(parseEnv(stdout)).toMatchObject({ CRM_LEAD_COUNTRY_FIELD: 'UF_CRM_COUNTRY' });
  });
});

describe('npm run connect', () => {
  it('names the systems for another one', async () => {
    await expect(run('sms', {})).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('-- crm ') });
    for (const system of ['activity-log', 'chat-bot', 'crm', 'employee-records'])
      await expect(run('', {})).rejects.toMatchObject({ stderr: expect.stringContaining(`-- ${system} `) });
  });

  it('proposes the company and the custom fields of the employee records', async () => {
    const env = {
      EMPLOYEE_RECORDS_URL: `${sandbox.url}/employee-records`,
      EMPLOYEE_RECORDS_API_KEY: 'sandbox',
      EMPLOYEE_RECORDS_API_SECRET: 'sandbox',
    };
    const { stdout } = await run('employee-records', env);
    expect(stdout).toContain('#   custom_crm_id "CRM ID" (Data)');
    const proposed = parseEnv(stdout);
    expect(proposed).toEqual({
      EMPLOYEE_RECORDS_COMPANY: 'Meridian Palm',
      EMPLOYEE_RECORDS_COMPANY_ABBREVIATION: 'MP',
      EMPLOYEE_RECORDS_CRM_ID_FIELD: 'custom_crm_id',
      EMPLOYEE_RECORDS_DIRECTORY_ID_FIELD: 'custom_directory_id',
    });
    expect((await allFindings('employee-records', { ...env, ...proposed })).slice(1)).toEqual([]);
  });

  it('proposes the fields of the log store', async () => {
    const env = { ACTIVITY_LOG_URL: `${sandbox.url}/activity-log`, ACTIVITY_LOG_API_KEY: 'sandbox' };
    const wrong = { ACTIVITY_LOG_ID_FIELD: 'id', ACTIVITY_LOG_EMAIL_FIELD: 'mail', ACTIVITY_LOG_CRM_ID_FIELD: 'crm' };
    const { stdout } = await run('activity-log', { ...env, ...wrong });
    expect(stdout).toContain('#   user.email (text)');
    const proposed = parseEnv(stdout);
    expect(proposed).toEqual({
      ACTIVITY_LOG_TIME_FIELD: '@timestamp',
      ACTIVITY_LOG_ID_FIELD: 'event.id',
      ACTIVITY_LOG_ACTION_FIELD: 'event.action',
      ACTIVITY_LOG_LISTING_FIELD: 'listing.reference',
      ACTIVITY_LOG_CRM_ID_FIELD: 'user.crm_id',
      ACTIVITY_LOG_EMAIL_FIELD: 'user.email.keyword',
      ACTIVITY_LOG_PHONE_FIELD: 'user.phone.keyword',
    });
    expect((await allFindings('activity-log', { ...env, ...proposed })).slice(1)).toEqual([]);
  });
});
