/** Parses the CRM's old and new forms to the same values, and rejects invalid ones. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  CrmConfig,
  leadSettings,
  locationSettings,
  requireSettings,
} from '../../../../../core/integrations/crm/config.ts';
import { isNotFound } from '../../../../../core/integrations/crm/rejection.ts';
import { WireDeal } from '../../../../../core/integrations/crm/wire/deal.ts';
import {
  BatchResult,
  commandText,
  envelope,
  msUntilReset,
  readFault,
} from '../../../../../core/integrations/crm/wire/envelope.ts';
import { customNames, leadFields, wireLead } from '../../../../../core/integrations/crm/wire/lead.ts';
import { locationFields, locationForm, wireLocation } from '../../../../../core/integrations/crm/wire/location.ts';
import { Id, IdOrNull, Money, TextOrNull, timeText, YesNo } from '../../../../../core/integrations/crm/wire/scalars.ts';
import { rawAnswer } from '../../../../../core/integrations/kit/call.ts';
import { plainText } from '../../../../../core/integrations/kit/vendor-text.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';
import { crmSettings } from '../../../../support/crm-webhook.ts';

const leadConfig = requireSettings(readConfig(CrmConfig, crmSettings), leadSettings);
const locationConfig = requireSettings(readConfig(CrmConfig, crmSettings), locationSettings);
const answered = (status: number, body: unknown) => rawAnswer(status, {}, Buffer.from(JSON.stringify(body)));

describe('scalars', () => {
  it.each([
    ['37', 37],
    [37, 37],
  ])('an id %j is %j', (given, id) => expect(Id.parse(given)).toBe(id));

  it.each([['0'], [0], [''], [null]])('%j means no record', given => expect(IdOrNull.parse(given)).toBeNull());

  it.each([
    ['19999.9900', '19999.99'],
    [19999.99, '19999.99'],
    ['5', '5.00'],
    ['0.1250', '0.125'],
    ['-3.5', '-3.50'],
    [null, '0.00'],
    ['', '0.00'],
  ])('money %j is %j', (given, decimal) => expect(Money.parse(given)).toBe(decimal));

  it.each([['Y'], ['1'], [true]])('%j is yes', given => expect(YesNo.parse(given)).toBe(true));
  it.each([['N'], ['0'], [false], [null]])('%j is no', given => expect(YesNo.parse(given)).toBe(false));

  it('a time is written with an offset and without milliseconds', () =>
    expect(timeText(new Date('2024-09-02T15:37:18.954Z'))).toBe('2024-09-02T15:37:18+00:00'));

  it('an empty text is null', () => expect(TextOrNull.parse('')).toBeNull());

  it.each([['12.3.4'], ['1,000'], ['NaN']])('%j is not an amount of money', given =>
    expect(Money.safeParse(given).success).toBe(false),
  );
});

describe('answers', () => {
  it('an empty map arrives as an empty list', () => {
    const given = { result: [], result_error: [], result_total: [], result_time: [], result_next: [] };
    expect(BatchResult.parse(given)).toMatchObject({ result: {}, result_error: {} });
  });

  it('the error for an unexpected result contains its path, not its value', () => {
    const parsed = envelope(z.object({ item: z.object({ id: Id }) })).safeParse({
      result: { item: { id: 'a person' } },
    });
    expect(parsed.error?.issues[0]?.path).toEqual(['result', 'item', 'id']);
    expect(JSON.stringify(parsed.error)).not.toContain('a person');
  });

  it('new errors have a code, old ones only a text', () => {
    const old = readFault(answered(400, { error: '', error_description: 'Not found' }));
    expect(old).toEqual({ verdict: 'rejected', message: 'Not found' });
    expect(isNotFound(old ?? {})).toBe(true);
    const fresh = readFault(answered(400, { error: 'NOT_FOUND', error_description: 'Item not found' }));
    expect(fresh).toEqual({ verdict: 'rejected', code: 'NOT_FOUND', message: 'Item not found' });
    expect(isNotFound(fresh ?? {})).toBe(true);
    expect(isNotFound({ code: 'ERROR_METHOD_NOT_FOUND', message: 'Method not found!' })).toBe(false);
  });

  it.each([
    [503, 'QUERY_LIMIT_EXCEEDED', { verdict: 'limit' }],
    [503, 'OVERLOAD_LIMIT', { verdict: 'rejected' }],
    [429, 'OPERATION_TIME_LIMIT', { verdict: 'rejected' }],
    [401, 'expired_token', { verdict: 'unauthorized' }],
    [403, 'insufficient_scope', { verdict: 'unauthorized' }],
    [401, 'ACCESS_DENIED', { verdict: 'unauthorized' }],
    [403, 'ACCESS_DENIED', { verdict: 'rejected' }],
    [500, 'INTERNAL_SERVER_ERROR', { verdict: 'transient' }],
    [400, 'INVALID_ARG_VALUE', { verdict: 'rejected' }],
  ])('%i %s', (status, error, fault) =>
    expect(readFault(answered(status, { error, error_description: '' }))).toMatchObject(fault),
  );

  it('an answer that is not an error of the CRM is classified by its status', () => {
    expect(readFault(rawAnswer(502, {}, Buffer.from('<html>')))).toBeUndefined();
    expect(readFault(answered(200, { result: [] }))).toBeUndefined();
  });

  it('the wait until a method is unblocked uses the CRM’s clock', () => {
    expect(msUntilReset({ operating_reset_at: 1_030, finish: 1_000.5, operating: 481 })).toBe(29_500);
    expect(msUntilReset({ operating_reset_at: 900, finish: 1_000 })).toBe(0);
    expect(msUntilReset({ operating: 481 })).toBeUndefined();
  });

  it('removes HTML from its reasons', () =>
    expect(plainText('Field &quot;Stage&quot; is wrong.<br>Correct it.')).toBe('Field "Stage" is wrong. Correct it.'));
});

describe('commands', () => {
  it('have PHP’s query form', () => {
    const text = commandText('crm.item.list', {
      select: ['id', 'title'],
      filter: { '>id': '$result[page0][items][49][id]', '@categoryId': [0, 1] },
      start: -1,
      nothing: undefined,
    });
    expect(decodeURIComponent(text)).toBe(
      'crm.item.list?select[0]=id&select[1]=title&filter[>id]=$result[page0][items][49][id]&filter[@categoryId][0]=0&filter[@categoryId][1]=1&start=-1',
    );
    expect(commandText('profile', {})).toBe('profile');
  });
});

describe('records', () => {
  it('a deal', () => {
    const row = {
      id: '37',
      categoryId: '1',
      stageId: 'C1:WON',
      stageSemanticId: 'S',
      opportunity: '19999.9900',
      currencyId: 'AED',
      assignedById: '1',
      createdTime: '2024-09-02T18:37:18+03:00',
      updatedTime: '2024-09-03T18:37:18+03:00',
      closed: 'N',
      closedate: '2024-10-02T00:00:00+03:00',
    };
    expect(WireDeal.parse(row)).toEqual({
      id: 37,
      pipelineId: 1,
      stageId: 'C1:WON',
      outcome: 'won',
      amount: '19999.99',
      currency: 'AED',
      assignedUserId: 1,
      createdAt: new Date('2024-09-02T15:37:18Z'),
      modifiedAt: new Date('2024-09-03T15:37:18Z'),
      closedAt: null,
    });
    expect(WireDeal.safeParse({ ...row, updatedTime: 'yesterday' }).success).toBe(false);
  });

  it('a location with configured field names, both read and written', () => {
    const form = locationForm({ ...locationConfig, CRM_LOCATION_TYPE_FIELD: 'ufCrm3Level' });
    const row = {
      id: 9,
      title: 'Marina Gate 1,  Dubai Marina, Dubai',
      updatedTime: '2024-09-02T18:37:18+03:00',
      ufCrm3Level: 'Tower',
      ufCrm8Parent: '4',
      ufCrm8PortalId: '',
      ufCrm8NameAr: null,
    };
    expect(wireLocation(form).parse(row)).toMatchObject({
      type: 'property',
      name: 'Marina Gate 1',
      parentId: 4,
      portalId: null,
    });
    expect(wireLocation(form).parse({ ...row, ufCrm3Level: 'VILLAGE' })).toMatchObject({ type: null });
    expect(locationFields(form, { type: 'sub-community', parentId: null })).toEqual({
      ufCrm3Level: 'SUBCOMMUNITY',
      ufCrm8Parent: null,
    });
  });

  it('a change of a lead contains only the changed fields; null empties a field', () => {
    const names = customNames(leadConfig);
    expect(
      leadFields(names, 'UF_CRM_CONSENT', {
        title: 'Villa',
        comments: null,
        phones: ['+971501234567'],
        utm: { source: 'sms' },
        dncStatus: 'clear',
        marketingConsent: false,
        assignedUserId: 5,
      }),
    ).toEqual({
      title: 'Villa',
      comments: '',
      fm: [{ typeId: 'PHONE', valueType: 'WORK', value: '+971501234567' }],
      utmSource: 'sms',
      UF_CRM_DNC_STATUS: 'clear',
      UF_CRM_CONSENT: 'N',
      assignedById: 5,
    });
  });

  it('a lead without most of its fields is valid', () => {
    const lead = wireLead(customNames(leadConfig), 'UF_CRM_CONSENT').parse({
      id: '7',
      stageId: 'JUNK',
      stageSemanticId: 'F',
      createdTime: '2024-09-02T18:37:18+03:00',
      updatedTime: '2024-09-02T18:37:18+03:00',
      fm: [{ id: 1, valueType: 'WORK', value: '050 123 4567', typeId: 'PHONE' }],
      UF_CRM_CONSENT: 'Y',
    });
    expect(lead).toMatchObject({
      id: 7,
      outcome: 'lost',
      phones: ['050 123 4567'],
      emails: [],
      marketingConsent: true,
    });
  });
});
