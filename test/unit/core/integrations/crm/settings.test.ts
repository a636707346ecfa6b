/** The check and the proposal of CRM settings, with accounts whose fields the sandbox does not have. */
import { describe, expect, it } from 'vitest';
import { CrmConfig } from '../../../../../core/integrations/crm/config.ts';
import type { Command, CommandOutcome, CrmRest } from '../../../../../core/integrations/crm/rest.ts';
import { openCrmSettings } from '../../../../../core/integrations/crm/settings.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';

const levels = ['Emirate', 'Community', 'Sub-community', 'Building'];

/** As the vendor returns fields that were created in its user interface. */
const field = (formLabel: string, type = 'string', more: object = {}) => ({
  type,
  isRequired: false,
  isReadOnly: false,
  isMultiple: false,
  isDynamic: true,
  title: 'UF_CRM_1',
  formLabel,
  ...more,
});

const account: Record<string, unknown> = {
  'crm.category.list': {
    categories: [
      { id: 14, name: 'Resale' },
      { id: 9, name: 'Primary sales' },
      { id: 12, name: 'Developer launches' },
    ],
  },
  'crm.type.list': { types: [{ id: 4, entityTypeId: 1036, title: 'Communities' }] },
  leads: {
    UF_CRM_1752000001: field('Agreed to marketing (consent)', 'boolean'),
    UF_CRM_1752000002: field('Landing page', 'url'),
    UF_CRM_1752000003: field('Country of phone', 'enumeration'),
    UF_CRM_1752000004: field('Locations of interest', 'string', { isMultiple: true }),
    addressCountry: { ...field('Country'), isDynamic: false },
  },
  items: {
    ufCrm4_1752000005: field('Level', 'enumeration', {
      items: levels.map((VALUE, index) => ({ ID: String(44 + index), VALUE })),
    }),
    ufCrm4_1752000006: field('Parent', 'integer', { isReadOnly: true }),
  },
};

/** The method, or for fields: of leads, or of other items. */
const asked = ({ method, parameters }: Command): string =>
  method !== 'crm.item.fields' ? method : parameters.entityTypeId === 1 ? 'leads' : 'items';
const resultOf = (name: string): unknown =>
  name === 'leads' || name === 'items' ? { fields: account[name] } : account[name];

function open(env: Record<string, string>, denied: readonly string[] = []) {
  const batch: CrmRest['batch'] = async (_class, commands) =>
    commands.map(
      (command): CommandOutcome =>
        denied.includes(asked(command))
          ? { error: { code: 'ACCESS_DENIED', message: 'Access denied' } }
          : { result: resultOf(asked(command)), total: undefined },
    );
  const call: CrmRest['call'] = async ({ method, answer }) =>
    answer.parse(method === 'scope' ? ['crm', 'user'] : expect.fail());
  return openCrmSettings({ call, batch }, readConfig(CrmConfig, env));
}

const found = async (env: Record<string, string>, denied?: readonly string[]) =>
  (await open(env, denied).check()).map(finding => finding.found);

describe('the check of the settings', () => {
  it('wants ids as values of a level field of the type list', async () => {
    const env = { CRM_LOCATION_ENTITY_TYPE: '1036', CRM_LOCATION_TYPE_FIELD: 'ufCrm4_1752000005' };
    expect(await found(env)).toContain(
      'CRM_LOCATION_TYPES: the field for the level has no value with the id CITY, COMMUNITY, SUBCOMMUNITY, TOWER',
    );
    expect((await found({ ...env, CRM_LOCATION_TYPES: '44,45,46,47' })).slice(1)).toEqual([]);
  });

  it('reports fields with several values, of a wrong type and read-only ones', async () => {
    const env = {
      CRM_LOCATION_ENTITY_TYPE: '1036',
      CRM_LOCATION_PARENT_FIELD: 'ufCrm4_1752000006',
      CRM_LEAD_COUNTRY_FIELD: 'UF_CRM_1752000003',
      CRM_LEAD_LOCATIONS_FIELD: 'UF_CRM_1752000004',
    };
    expect((await found(env)).slice(1)).toEqual([
      'CRM_LOCATION_PARENT_FIELD: the field ufCrm4_1752000006 is read-only',
      'CRM_LEAD_COUNTRY_FIELD: the field UF_CRM_1752000003 has the type enumeration, but must have string',
      'CRM_LEAD_LOCATIONS_FIELD: the field UF_CRM_1752000004 holds several values',
    ]);
  });

  it('reports lists that the user of the webhook may not read', async () => {
    const env = { CRM_LOCATION_ENTITY_TYPE: '1036', CRM_PRIMARY_PIPELINES: '9' };
    expect((await found(env, ['items', 'crm.category.list'])).slice(1)).toEqual([
      'the CRM does not let us read the deal pipelines (ACCESS_DENIED)',
      'the CRM does not let us read the fields of the locations (ACCESS_DENIED)',
    ]);
  });
});

describe('an account whose settings are all right', () => {
  const types: Record<string, string> = { CRM_LEAD_CONSENT_FIELD: 'boolean' };
  const fieldsOf = (part: string) =>
    Object.fromEntries(
      Object.entries(crmSettings).flatMap(([setting, name]) =>
        setting.startsWith(part) && setting.endsWith('_FIELD') ? [[name, field('x', types[setting])]] : [],
      ),
    );
  const lists: Record<string, CommandOutcome> = {
    'crm.category.list': { result: { categories: [{ id: 0 }, { id: 1 }] }, total: undefined },
    leads: { result: { fields: fieldsOf('CRM_LEAD') }, total: undefined },
    items: { result: { fields: fieldsOf('CRM_LOCATION') }, total: undefined },
    'crm.settings.mode.get': { result: 1, total: undefined },
  };
  const check = (change: Record<string, CommandOutcome> = {}) => {
    const answers = { ...lists, ...change };
    const batch: CrmRest['batch'] = async (_, commands) =>
      commands.map(command => answers[asked(command)] ?? expect.fail());
    return openCrmSettings({ call: () => expect.fail(), batch }, readConfig(CrmConfig, crmSettings)).check();
  };

  it('has no findings', async () => expect(await check()).toEqual([]));

  it('may have no smart process with the id', async () => {
    const missing = { error: { code: 'NOT_FOUND', message: 'x' } };
    expect((await check({ items: missing })).map(finding => finding.found)).toEqual([
      'CRM_LOCATION_ENTITY_TYPE: the CRM has no smart process 1222',
    ]);
  });
});

describe('one setting', () => {
  const lines = async (env: Record<string, string>, denied?: readonly string[]) => (await found(env, denied)).slice(1);

  it.each([
    ['9,14', []],
    ['9,15', ['CRM_PRIMARY_PIPELINES: the CRM has no deal pipeline 15, or the user of the webhook may not read it']],
  ])('reports the deal pipelines that the CRM does not have: %s', async (ids, findings) =>
    expect(await lines({ CRM_PRIMARY_PIPELINES: ids })).toEqual(findings),
  );

  it('reports a field that the CRM does not have', async () => {
    expect(await lines({ CRM_LEAD_PAGE_FIELD: 'UF_CRM_1' })).toEqual([
      'CRM_LEAD_PAGE_FIELD: the CRM has no field UF_CRM_1',
    ]);
    expect(await lines({ CRM_LEAD_PAGE_FIELD: 'UF_CRM_1752000002' })).toEqual([]);
  });

  it('reports that the fields of leads may not be read', async () =>
    expect(await lines({}, ['leads'])).toEqual(['the CRM does not let us read the fields of leads (ACCESS_DENIED)']));

  it('is named when it is missing, and only then', async () => {
    const [missing] = await found({ CRM_LEAD_PAGE_FIELD: 'UF_CRM_1752000002' });
    expect(missing).toMatch(/^not set: .*; operations that need them return 503$/);
    expect(missing).not.toContain('CRM_LEAD_PAGE_FIELD');
    expect(missing).toContain('CRM_PRIMARY_PIPELINES');
  });
});

describe('the proposal', () => {
  it('uses labels, and only fields with one writable value of a fitting type', async () => {
    const lines = await open({}).propose();
    expect(lines.filter(line => /^[A-Z]/.test(line))).toEqual([
      'CRM_PRIMARY_PIPELINES=9,12',
      'CRM_SECONDARY_PIPELINES=14',
      'CRM_LOCATION_ENTITY_TYPE=1036',
      'CRM_LOCATION_TYPE_FIELD=ufCrm4_1752000005',
      'CRM_LOCATION_TYPES=44,45,46,47',
      'CRM_LEAD_CONSENT_FIELD=UF_CRM_1752000001',
      'CRM_LEAD_PAGE_FIELD=UF_CRM_1752000002',
    ]);
    expect(lines).toContain('#   UF_CRM_1752000003 "Country of phone" (enumeration)');
    expect(lines).toContain('# CRM_LEAD_COUNTRY_FIELD=    (none has a fitting name and type)');
  });

  it('says why the smart processes are missing, and uses the given one', async () => {
    const lines = await open({}, ['crm.type.list']).propose();
    expect(lines).toContain(
      '# The CRM does not list its smart processes (ACCESS_DENIED): create the webhook as an administrator of the CRM.',
    );
    expect(lines).toContain('CRM_PRIMARY_PIPELINES=9,12');
    const withType = await open({ CRM_LOCATION_ENTITY_TYPE: '1036' }, ['crm.type.list']).propose();
    expect(withType).toContain('CRM_LOCATION_TYPE_FIELD=ufCrm4_1752000005');
  });
});
