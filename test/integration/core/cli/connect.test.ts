/** Connecting a CRM: what is missing, what the command proposes, and what the doctor says about the settings. */
import { execFile } from 'node:child_process';
import { parseEnv, promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChecks } from '../../../../core/doctor/check.ts';
import systemChecks from '../../../../core/doctor/checks/systems.ts';
import { contextOf } from '../../../../core/doctor/context.ts';
import crmSystem from '../../../../core/integrations/crm/system.ts';
import { openIntegrationContext } from '../../../../core/integrations/kit/context.ts';
import { rootFolder } from '../../../../core/runtime/discover.ts';
import { crmSettings } from '../../../support/crm-webhook.ts';
import { builtProgram } from '../../../support/processes.ts';
import { type Sandbox, startSandbox } from '../../../support/sandbox.ts';

let sandbox: Sandbox;
let url: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  url = `${sandbox.url}/crm/rest/1/sandbox`;
});
afterAll(() => sandbox?.close());

const open = (env: Record<string, string>) =>
  openIntegrationContext({
    env: { CRM_URL: url, ...env },
    sandboxUrl: undefined,
    budgets: { take: async () => undefined, block: async () => {} },
    logger: pino({ level: 'silent' }),
  });

/** The doctor's findings after the first, which says that the CRM answers. */
async function findings(env: Record<string, string>): Promise<string[]> {
  const checks = (await systemChecks()).filter(({ name }) => name === 'crm');
  const [checked] = await Promise.all(runChecks(checks, contextOf(open(env))));
  const [first, ...others] = checked?.findings ?? [];
  expect(first).toMatchObject({ level: 'ok', found: expect.stringContaining('The CRM answers') });
  return others.map(({ level, found, fix }) => `${level} ${found}: ${fix}`);
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

  it('reports nothing when all settings agree with the CRM', async () => {
    expect(await findings(crmSettings)).toEqual([]);
  });

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
  ])('reports %j', async (change, expected) => {
    expect(await findings({ ...crmSettings, ...change })).toEqual([`failure ${expected}`]);
  });
});

describe('npm run connect -- crm', () => {
  const run = (argument: string, webhook = url) =>
    promisify(execFile)(process.execPath, [...builtProgram('core/cli/connect.ts'), argument], {
      cwd: rootFolder,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', CRM_URL: webhook },
    });

  it('proposes settings that the doctor accepts, and writes nothing', async () => {
    await sandbox.control.reset('crm');
    const { stdout } = await run('crm');
    expect(parseEnv(stdout)).toEqual(crmSettings);
    expect(await findings({ ...crmSettings, ...parseEnv(stdout) })).toEqual([]);
    const { byPath } = await sandbox.control.requests('crm');
    expect(Object.keys(byPath).filter(path => !/\/(batch|user\.get)$/.test(path))).toEqual([]);
  });

  it('says that only an administrator of the CRM sees its smart processes', async () => {
    const { stdout } = await run('crm', url.replace('/rest/1/', '/rest/2/'));
    expect(stdout).toContain('(ACCESS_DENIED): create the webhook as an administrator of the CRM.');
    expect(parseEnv(stdout)).toMatchObject({ CRM_LEAD_COUNTRY_FIELD: 'UF_CRM_COUNTRY' });
  });

  it('explains itself for another system', async () => {
    await expect(run('sms')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('-- crm') });
  });
});
