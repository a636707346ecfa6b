/** Leads: the fields that a change may have, and the CRM's fields to read and to write. */
import { describe, expect, it } from 'vitest';
import { CrmConfig, leadSettings, requireSettings } from '../../../../../../core/integrations/crm/config.ts';
import {
  customNames,
  LeadChange,
  leadFields,
  NewLead,
  WireComment,
  WireDuplicates,
  WireProductRow,
  wireLead,
} from '../../../../../../core/integrations/crm/wire/lead.ts';
import { readConfig } from '../../../../../../core/runtime/config.ts';
import { crmSettings } from '../../../../../support/crm-webhook.ts';

const names = customNames(requireSettings(readConfig(CrmConfig, crmSettings), leadSettings));
const time = '2024-09-02T18:37:18+03:00';
const row = { id: '7', title: 'Villa', createdTime: time, updatedTime: time };
const read = (change: object = {}) => wireLead(names, 'UF_CRM_CONSENT').parse({ ...row, ...change });
const write = (change: LeadChange) => leadFields(names, 'UF_CRM_CONSENT', change);

describe('a lead as read', () => {
  it('has our names', () =>
    expect(
      read({
        name: 'Sara',
        lastName: 'Haddad',
        stageId: 'NEW',
        stageSemanticId: 'S',
        sourceId: 'WEB',
        sourceDescription: 'x',
        assignedById: '5',
        comments: 'c',
        opportunity: '10',
        currencyId: 'AED',
        utmSource: 's',
        utmMedium: 'm',
        utmCampaign: 'c',
        utmTerm: 't',
        utmContent: 'n',
        originatorId: 'events',
        originId: '1',
        dateClosed: time,
        UF_CRM_CONSENT: 'Y',
        UF_CRM_COUNTRY: 'AE',
        UF_CRM_DNC_STATUS: 'clear',
        UF_CRM_LOCATIONS: 'Dubai',
        UF_CRM_MATCHED_AGENT: 7,
        UF_CRM_ACTIVITY_SUMMARY: 'a',
        UF_CRM_PAGE_URL: 'https://x.example',
        fm: [
          { typeId: 'EMAIL', value: 'a@x.example' },
          { typeId: 'PHONE', value: '+97150' },
          { typeId: 'EMAIL', value: 'b@x.example' },
        ],
      }),
    ).toEqual({
      id: 7,
      title: 'Villa',
      firstName: 'Sara',
      lastName: 'Haddad',
      status: 'NEW',
      outcome: 'won',
      source: 'WEB',
      sourceDescription: 'x',
      assignedUserId: 5,
      comments: 'c',
      amount: '10.00',
      currency: 'AED',
      utm: { source: 's', medium: 'm', campaign: 'c', term: 't', content: 'n' },
      originatorId: 'events',
      originId: '1',
      marketingConsent: true,
      country: 'AE',
      dncStatus: 'clear',
      interestedLocations: 'Dubai',
      matchedAgent: '7',
      activitySummary: 'a',
      page: 'https://x.example',
      phones: ['+97150'],
      emails: ['a@x.example', 'b@x.example'],
      createdAt: new Date(time),
      modifiedAt: new Date(time),
      closedAt: new Date(time),
    }));

  it('has no value for a custom field of another type', () =>
    expect(read({ UF_CRM_COUNTRY: ['AE'], UF_CRM_DNC_STATUS: { a: 1 }, UF_CRM_CONSENT: 'maybe' })).toMatchObject({
      country: null,
      dncStatus: null,
      marketingConsent: false,
    }));

  it.each([{ fm: 'x' }, { fm: [{ typeId: 'EMAIL', value: 7 }] }, { fm: [{}] }])('is not %j', change =>
    expect(() => read(change)).toThrow(),
  );
});

describe('a change as written', () => {
  it('has the CRM’s names for all fields', () =>
    expect(
      write({
        title: 'Villa',
        firstName: 'Sara',
        lastName: null,
        status: 'NEW',
        source: 'WEB',
        sourceDescription: 'x',
        comments: 'c',
        amount: '10.00',
        currency: 'AED',
        originatorId: 'events',
        originId: '1',
        country: 'AE',
        dncStatus: null,
        interestedLocations: 'Dubai',
        matchedAgent: '7',
        activitySummary: 'a',
        page: 'p',
        utm: { source: 's', medium: null },
        emails: ['a@x.example'],
        marketingConsent: true,
        assignedUserId: 5,
      }),
    ).toEqual({
      title: 'Villa',
      name: 'Sara',
      lastName: '',
      stageId: 'NEW',
      sourceId: 'WEB',
      sourceDescription: 'x',
      comments: 'c',
      opportunity: '10.00',
      currencyId: 'AED',
      originatorId: 'events',
      originId: '1',
      UF_CRM_COUNTRY: 'AE',
      UF_CRM_DNC_STATUS: '',
      UF_CRM_LOCATIONS: 'Dubai',
      UF_CRM_MATCHED_AGENT: '7',
      UF_CRM_ACTIVITY_SUMMARY: 'a',
      UF_CRM_PAGE_URL: 'p',
      utmSource: 's',
      utmMedium: '',
      fm: [{ typeId: 'EMAIL', valueType: 'WORK', value: 'a@x.example' }],
      UF_CRM_CONSENT: 'Y',
      assignedById: 5,
      isManualOpportunity: 'Y',
    }));

  it('without consent has N, and of nothing is empty', () => {
    expect(write({ marketingConsent: null })).toEqual({ UF_CRM_CONSENT: 'N' });
    expect(write({ phones: [], title: undefined })).toEqual({});
    expect(write({})).toEqual({});
  });

  it('without an amount lets the CRM calculate it from the product rows', () =>
    expect(write({ amount: null })).toEqual({ opportunity: '', isManualOpportunity: 'N' }));
});

describe('the fields of a change', () => {
  it.each([
    { amount: '1250000.50' },
    { amount: '1' },
    { amount: '123456789012345.5' },
    { currency: 'AED' },
    { status: 'x'.repeat(50) },
    { originId: 'x'.repeat(255) },
    { phones: Array(20).fill('x'.repeat(100)), emails: Array(20).fill('x'.repeat(320)) },
    { title: 'x'.repeat(10_000), utm: { term: null } },
    { marketingConsent: null, amount: null, currency: null, page: null, country: null },
  ])('may be %j', change => expect(LeadChange.safeParse(change).success).toBe(true));

  it.each([
    [{ title: '' }, ['title']],
    [{ title: 'x'.repeat(10_001) }, ['title']],
    [{ status: 'x'.repeat(51), source: 'x'.repeat(51) }, ['status', 'source']],
    [{ status: null }, ['status']],
    [{ assignedUserId: 0 }, ['assignedUserId']],
    [{ phones: ['x'.repeat(101)] }, ['phones']],
    [{ phones: Array(21).fill('x') }, ['phones']],
    [{ emails: ['x'.repeat(321)] }, ['emails']],
    [{ emails: Array(21).fill('x') }, ['emails']],
    [{ amount: '1234567890123456' }, ['amount']],
    [{ amount: '1.234' }, ['amount']],
    [{ amount: 'a1' }, ['amount']],
    [{ amount: '1a' }, ['amount']],
    [{ amount: '1.' }, ['amount']],
    [{ currency: 'aed' }, ['currency']],
    [{ currency: 'AEDX' }, ['currency']],
    [{ currency: 'XAED' }, ['currency']],
    [{ originatorId: 'x'.repeat(256), originId: 'x'.repeat(256) }, ['originatorId', 'originId']],
    [{ utm: { source: 'x'.repeat(10_001) } }, ['utm']],
  ])('may not be %j', (change, fields) =>
    expect(LeadChange.safeParse(change).error?.issues.map(({ path }) => path[0])).toEqual(fields),
  );

  it('of a new lead are optional, except for the title', () => {
    expect(NewLead.safeParse({ title: 'x' }).success).toBe(true);
    expect(NewLead.safeParse({ title: '' }).success).toBe(false);
    expect(NewLead.safeParse({ firstName: 'x' }).success).toBe(false);
  });
});

it('duplicates have lists of ids, also where the CRM leaves them out', () => {
  expect(WireDuplicates.parse([])).toEqual({ LEAD: [], CONTACT: [], COMPANY: [] });
  expect(WireDuplicates.parse({ LEAD: ['1'], COMPANY: [2] })).toEqual({ LEAD: [1], CONTACT: [], COMPANY: [2] });
});

it('a product row has numbers', () =>
  expect(
    WireProductRow.parse({
      id: 1,
      productId: '5',
      productName: 'Fee',
      price: '10',
      quantity: 1.5,
      discountSum: 2,
      taxRate: '5',
      taxIncluded: 'N',
      measureName: 'pcs',
    }),
  ).toEqual({
    id: 1,
    productId: 5,
    name: 'Fee',
    price: '10.00',
    quantity: 1.5,
    discount: '2.00',
    taxRate: 5,
    taxIncluded: false,
    measure: 'pcs',
  }));

it('a product row may have no tax', () =>
  expect(WireProductRow.parse({ id: 1, quantity: 1, taxRate: 0 })).toMatchObject({ taxRate: 0, taxIncluded: false }));

it('a comment has an author and a time', () => {
  expect(WireComment.parse({ ID: '9', AUTHOR_ID: '5', COMMENT: 'x', CREATED: time })).toEqual({
    id: 9,
    authorId: 5,
    text: 'x',
    createdAt: new Date(time),
  });
  expect(WireComment.parse({ ID: '9', AUTHOR_ID: 'x', COMMENT: 'x' })).toMatchObject({
    id: 9,
    authorId: null,
    text: 'x',
  });
  expect(WireComment.safeParse({ AUTHOR_ID: '5', COMMENT: 'x', CREATED: time }).success).toBe(false);
});
