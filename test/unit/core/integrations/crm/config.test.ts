/** Settings of the CRM. */
import { describe, expect, it } from 'vitest';
import {
  CrmConfig,
  dealSettings,
  leadSettings,
  locationSettings,
  requireSettings,
} from '../../../../../core/integrations/crm/config.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';

const read = (env: Record<string, string>) => readConfig(CrmConfig, env);

it('have defaults for limits and types of locations only', () =>
  expect(read({})).toEqual({
    CRM_REQUESTS_PER_SECOND: 2,
    CRM_REQUEST_BURST: 50,
    CRM_LOCATION_TYPES: 'CITY,COMMUNITY,SUBCOMMUNITY,TOWER',
  }));

describe('a list of ids', () => {
  it.each([
    ['7', [7]],
    ['12,7', [12, 7]],
    ['7 , 12,0', [7, 12, 0]],
  ])('%j is %j', (CRM_PRIMARY_PIPELINES, ids) =>
    expect(read({ CRM_PRIMARY_PIPELINES })).toMatchObject({ CRM_PRIMARY_PIPELINES: ids }),
  );

  it.each(['a', '7,', ',7', '7;8', '7,a', 'a7', '7 8'])('is not %j', CRM_PRIMARY_PIPELINES =>
    expect(() => read({ CRM_PRIMARY_PIPELINES })).toThrow('must be whole numbers, comma-separated'),
  );
});

it.each(['a b', ' a', 'a-b'])('a field is not named %j', name =>
  expect(() => read({ CRM_LEAD_DNC_FIELD: name })).toThrow('must be the name of a field'),
);

describe('the types of locations', () => {
  it('are four', () =>
    expect(read({ CRM_LOCATION_TYPES: 'a,b b,c,4' })).toMatchObject({ CRM_LOCATION_TYPES: 'a,b b,c,4' }));

  it.each(['a,b,c', 'a,b,c,d,e', 'a,,c,d', ',a,b,c,d', 'a,b,c,d,'])('are not %j', CRM_LOCATION_TYPES =>
    expect(() => read({ CRM_LOCATION_TYPES })).toThrow('must be four words, comma-separated'),
  );
});

describe('settings that an operation needs', () => {
  it('are returned when all are set', () => {
    const config = read(crmSettings);
    for (const names of [dealSettings, locationSettings, leadSettings])
      expect(requireSettings(config, names)).toBe(config);
  });

  it('are named when they are missing, with the command that proposes them', () =>
    expect(() =>
      requireSettings(read({ CRM_PRIMARY_PIPELINES: '1' }), [...dealSettings, 'CRM_LEAD_DNC_FIELD']),
    ).toThrow(
      expect.objectContaining({
        code: 'system-not-configured',
        retryAfterSeconds: 3_600,
        message: expect.stringContaining('set CRM_SECONDARY_PIPELINES, CRM_LEAD_DNC_FIELD (npm run connect -- crm'),
      }),
    ));
});
