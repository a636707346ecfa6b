/** Locations in the CRM's form, with fields and types that differ between accounts. */
import { describe, expect, it } from 'vitest';
import { CrmConfig, locationSettings, requireSettings } from '../../../../../../core/integrations/crm/config.ts';
import { locationFields, locationForm, wireLocation } from '../../../../../../core/integrations/crm/wire/location.ts';
import { readConfig } from '../../../../../../core/runtime/config.ts';
import { crmSettings } from '../../../../../support/crm-webhook.ts';

const formWith = (env: Record<string, string> = {}) =>
  locationForm(requireSettings(readConfig(CrmConfig, { ...crmSettings, ...env }), locationSettings));
const form = formWith();
const listForm = formWith({ CRM_LOCATION_TYPES: '44,45,46,47' });
const row = { id: 9, title: 'Dubai', updatedTime: '2024-09-02T18:37:18+03:00', ufCrm8Type: 'City' };

describe('a location as read', () => {
  it('has the first part of its title as its name', () =>
    expect(wireLocation(form).parse({ ...row, ufCrm8NameAr: 'دبي', ufCrm8PortalId: 50 })).toEqual({
      id: 9,
      parentId: null,
      type: 'city',
      name: 'Dubai',
      title: 'Dubai',
      nameAr: 'دبي',
      portalId: '50',
      modifiedAt: new Date('2024-09-02T15:37:18Z'),
    }));

  it.each([
    ['City', 'city'],
    ['COMMUNITY', 'community'],
    ['subcommunity', 'sub-community'],
    ['Tower', 'property'],
  ])('of the type %s is a %s', (ufCrm8Type, type) =>
    expect(wireLocation(form).parse({ ...row, ufCrm8Type })).toMatchObject({ type }),
  );

  it.each([
    [44, 'city'],
    ['47', 'property'],
  ])('of the value %j of a list is a %s', (ufCrm8Type, type) =>
    expect(wireLocation(listForm).parse({ ...row, ufCrm8Type })).toMatchObject({ type }),
  );

  it.each([undefined, '', 'Street', ['City', 'Tower']])('of the type %j has no level', ufCrm8Type =>
    expect(wireLocation(form).parse({ ...row, ufCrm8Type })).toMatchObject({ id: 9, title: 'Dubai', type: null }),
  );

  it.each([{ updatedTime: '' }, { ufCrm8Parent: 'x' }, { ufCrm8NameAr: ['x'] }])('may have %j', change =>
    expect(wireLocation(form).parse({ ...row, ...change })).toMatchObject({ id: 9, title: 'Dubai' }),
  );

  it.each([{ title: null }, { id: 'x' }, { ufCrm8PortalId: ['50'] }])('is not %j', change =>
    expect(wireLocation(form).safeParse({ ...row, ...change }).success).toBe(false),
  );
});

describe('a location as written', () => {
  it('has the fields of the account', () => {
    const location = { title: 'A, B', type: 'property', parentId: 4, portalId: '50', nameAr: 'x' } as const;
    expect(locationFields(form, location)).toEqual({
      title: 'A, B',
      ufCrm8Type: 'TOWER',
      ufCrm8Parent: 4,
      ufCrm8PortalId: '50',
      ufCrm8NameAr: 'x',
    });
    expect(locationFields(listForm, location)).toMatchObject({ ufCrm8Type: '47' });
  });

  it('has only the fields of the change', () => {
    expect(locationFields(form, { portalId: null })).toEqual({ ufCrm8PortalId: null });
    expect(locationFields(form, {})).toEqual({});
  });
});
