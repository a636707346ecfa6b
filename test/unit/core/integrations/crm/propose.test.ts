/** The settings that are proposed for a CRM account, by the names of its pipelines, smart processes and fields. */
import { describe, expect, it } from 'vitest';
import { CrmConfig } from '../../../../../core/integrations/crm/config.ts';
import { proposeSettings } from '../../../../../core/integrations/crm/settings.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmRest } from '../../../../support/crm-rest.ts';

interface Account {
  pipelines?: readonly (readonly [id: number, name: string])[];
  types?: readonly (readonly [id: number, name: string])[];
  leads?: object;
  items?: object;
  denied?: string;
}

function propose(
  { pipelines = [], types = [], leads = {}, items = {}, denied }: Account,
  env: Record<string, string> = {},
) {
  const answers: Record<string, unknown> = {
    'crm.category.list': { categories: pipelines.map(([id, name]) => ({ id, name })) },
    'crm.type.list': { types: types.map(([entityTypeId, title]) => ({ entityTypeId, title })) },
    leads: { fields: leads },
    items: { fields: items },
    'crm.settings.mode.get': 1,
  };
  const { rest, sent } = crmRest(
    Object.fromEntries(
      [...Object.keys(answers), 'crm.item.fields'].map(method => [
        method,
        ({ entityTypeId }) => {
          const name = method !== 'crm.item.fields' ? method : entityTypeId === 1 ? 'leads' : 'items';
          return name === denied ? { error: ['ACCESS_DENIED', 'no'] } : { result: answers[name] };
        },
      ]),
    ),
  );
  return { lines: proposeSettings(rest, readConfig(CrmConfig, env)), sent };
}
const settingsOf = async (account: Account, env?: Record<string, string>) =>
  (await propose(account, env).lines).filter(line => /^[A-Z]/.test(line));
const none = (name: string) => `# ${name}=    (none has a fitting name and type)`;
const field = (formLabel: string, change: object = {}) => ({ type: 'string', isDynamic: true, formLabel, ...change });

describe('pipelines', () => {
  it('are proposed by their names', async () => {
    const pipelines = [
      [1, 'Primary'],
      [2, 'Off-plan'],
      [3, 'offplan'],
      [4, 'Developer sales'],
      [5, 'Secondary'],
      [6, 'Re-sale'],
      [7, 'Resale'],
      [8, 'Rent'],
    ] as const;
    const lines = await propose({ pipelines }).lines;
    expect(lines.slice(0, 3)).toEqual([
      '# Deal pipelines: 1 "Primary", 2 "Off-plan", 3 "offplan", 4 "Developer sales", 5 "Secondary", 6 "Re-sale", 7 "Resale", 8 "Rent".',
      'CRM_PRIMARY_PIPELINES=1,2,3,4',
      'CRM_SECONDARY_PIPELINES=5,6,7',
    ]);
  });

  it('are comments where none fits', async () =>
    expect((await propose({}).lines).slice(0, 3)).toEqual([
      '# Deal pipelines: none.',
      none('CRM_PRIMARY_PIPELINES'),
      none('CRM_SECONDARY_PIPELINES'),
    ]));

  it.each([
    ['crm.category.list', 'the deal pipelines'],
    ['leads', 'the fields of leads'],
    ['items', 'the fields of the locations'],
  ])('and fields must be readable: %s', (denied, what) =>
    expect(propose({ denied }, { CRM_LOCATION_ENTITY_TYPE: '1036' }).lines).rejects.toMatchObject({
      message: `The CRM does not let us read ${what} (ACCESS_DENIED).`,
      failure: { kind: 'rejected', system: 'crm' },
    }),
  );
});

describe('the smart process of the locations', () => {
  const types = [
    [1030, 'Projects'],
    [1036, 'Our communities'],
    [1040, 'Locations'],
  ] as const;

  it('is the first with a fitting name', async () => {
    const { lines, sent } = propose({ types });
    expect(await lines).toEqual(
      expect.arrayContaining([
        '# Smart processes: 1030 "Projects", 1036 "Our communities", 1040 "Locations".',
        'CRM_LOCATION_ENTITY_TYPE=1036',
      ]),
    );
    expect(sent.at(-1)?.parameters).toEqual({ entityTypeId: 1036 });
  });

  it('is the one that is set', async () =>
    expect(await settingsOf({ types }, { CRM_LOCATION_ENTITY_TYPE: '1030' })).toContain(
      'CRM_LOCATION_ENTITY_TYPE=1030',
    ));

  it('is a comment where none fits, and has no fields then', async () => {
    const { lines, sent } = propose({});
    expect(await lines).toEqual(expect.arrayContaining(['# Smart processes: none.', none('CRM_LOCATION_ENTITY_TYPE')]));
    expect((await lines).join('\n')).not.toContain('CRM_LOCATION_TYPE_FIELD');
    expect(sent.map(({ parameters }) => parameters.entityTypeId)).toEqual([2, undefined, 1, undefined]);
  });
});

describe('fields', () => {
  it('are proposed by label or name', async () =>
    expect(await settingsOf({ leads: { UF_1: field('Country'), UF_AGENT: field('x') } })).toEqual([
      'CRM_LEAD_COUNTRY_FIELD=UF_1',
      'CRM_LEAD_AGENT_FIELD=UF_AGENT',
    ]));

  it.each([{ type: 'enumeration' }, { isMultiple: true }, { isReadOnly: true }, { isDynamic: false }])(
    'are not proposed with %j',
    async change => {
      const { lines } = propose({ leads: { UF_1: field('Country', change) } });
      expect(await lines).toContain(none('CRM_LEAD_COUNTRY_FIELD'));
    },
  );

  it('that the account’s users have created are listed', async () => {
    const leads = { UF_1: field('Our “x”', { type: 'double' }), ID: field('Country', { isDynamic: false }) };
    const lines = await propose({ leads }).lines;
    const at = lines.indexOf('# Custom fields of leads:');
    expect(lines.slice(at - 1, at + 3)).toEqual([
      '',
      '# Custom fields of leads:',
      '#   UF_1 "Our “x”" (double)',
      none('CRM_LEAD_COUNTRY_FIELD'),
    ]);
    expect(lines.filter(line => line.includes(' ID '))).toEqual([]);
  });
});

describe('the values of the field for the level', () => {
  const values = (...names: string[]) => names.map((VALUE, index) => ({ ID: 44 + index, VALUE }));
  const proposed = async (names: string[], type = 'enumeration') => {
    const lines = await settingsOf(
      { items: { uf1: field('x'), uf2: field('Level', { type, items: values(...names) }) } },
      { CRM_LOCATION_ENTITY_TYPE: '1036' },
    );
    return lines.find(line => line.startsWith('CRM_LOCATION_TYPES='));
  };

  it.each([
    [['City', 'Community', 'Sub-community', 'Tower'], '44,45,46,47'],
    [['Property', 'Subarea', 'Area', 'Emirate'], '47,46,45,44'],
    [['Building', 'community', 'SUB', 'city'], '47,45,46,44'],
  ])('%j are proposed as %s', async (names, ids) => expect(await proposed(names)).toBe(`CRM_LOCATION_TYPES=${ids}`));

  it.each([
    [['City', 'Community', 'Sub-community']],
    [['City', 'Sub-community', 'Our community', 'Tower']],
    [['Community', 'Sub-community', 'Tower', 'Street']],
  ])('%j are not proposed', async names => expect(await proposed(names)).toBeUndefined());

  it('of a field of another type are not proposed', async () =>
    expect(await proposed(['City', 'Community', 'Sub-community', 'Tower'], 'string')).toBeUndefined());

  it('are not needed without such a field', async () => {
    const lines = await settingsOf({ items: { uf1: field('Parent') } }, { CRM_LOCATION_ENTITY_TYPE: '1036' });
    expect(lines).toEqual(['CRM_LOCATION_ENTITY_TYPE=1036', 'CRM_LOCATION_PARENT_FIELD=uf1']);
  });
});
