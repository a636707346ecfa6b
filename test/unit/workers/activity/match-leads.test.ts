/** The lead of a visitor. */
import { describe, expect, it } from 'vitest';
import { leadOf, openLeadMatcher } from '../../../../workers/activity/match-leads.ts';
import { lead as crmLead } from '../../../support/lead.ts';

const lead = (id: number, outcome: 'open' | 'won' | 'lost', change: { phones?: string[]; emails?: string[] }) => ({
  id,
  outcome,
  phones: [],
  emails: [],
  ...change,
});
const visitor = (change: { email?: string; phone?: string }) => ({
  key: 'x',
  email: undefined,
  phone: undefined,
  ...change,
});

describe('the lead of a visitor', () => {
  const leads = [
    lead(1, 'open', { emails: ['A@x.example'] }),
    lead(2, 'open', { phones: ['050 123 4567'] }),
    lead(3, 'lost', { emails: ['a@x.example'], phones: ['+971501234567'] }),
    lead(4, 'lost', { emails: ['b@x.example'] }),
    lead(5, 'won', { emails: ['b@x.example'] }),
  ];

  it('is the newest open one with the e-mail or phone, in any spelling', () => {
    expect(leadOf(visitor({ email: 'a@x.example' }), leads)).toBe(1);
    expect(leadOf(visitor({ email: 'a@x.example', phone: '+971501234567' }), leads)).toBe(2);
  });

  it('is the newest closed one if none is open', () =>
    expect(leadOf(visitor({ email: 'b@x.example' }), leads)).toBe(5));

  it('is the one with a trimmed e-mail, and never one by a phone that neither has', () => {
    expect(leadOf(visitor({ email: 'c@x.example' }), [lead(7, 'open', { emails: [' C@x.example '] })])).toBe(7);
    expect(leadOf(visitor({ email: 'c@x.example' }), [lead(8, 'open', { phones: ['none'] })])).toBeUndefined();
  });

  it('is undefined if no lead has the e-mail or phone', () =>
    expect(leadOf(visitor({ phone: '+971509999999' }), [...leads, lead(6, 'open', {})])).toBeUndefined());
});

describe('the lead matcher', () => {
  /** The CRM returns at most 20 leads per lookup. */
  function crmWith(emailsOfLeads: ReadonlyMap<number, string>) {
    const lookups: { phones: string[]; emails: string[] }[] = [];
    const leads = {
      async duplicates({ phones = [], emails = [] }: { phones?: string[]; emails?: string[] }) {
        lookups.push({ phones, emails });
        const found = [...emailsOfLeads].filter(([, email]) => emails.includes(email)).map(([id]) => id);
        return { leads: found.slice(0, 20), contacts: [], companies: [] };
      },
      getMany: async (ids: readonly number[]) =>
        new Map(ids.map(id => [id, crmLead({ id, emails: [emailsOfLeads.get(id) ?? ''] })])),
    };
    return { leads, lookups };
  }
  const person = (key: string) => ({ key, email: key, phone: undefined });
  const leadsOf = (email: string, from: number, count: number): [number, string][] =>
    Array.from({ length: count }, (_, index) => [from + index, email]);

  it('returns the lead of each visitor who has one', async () => {
    const crm = crmWith(new Map([...leadsOf('a', 1, 1), ...leadsOf('b', 2, 2)]));
    expect(await openLeadMatcher(crm).match(['a', 'b', 'c'].map(person))).toEqual(
      new Map([
        ['a', 1],
        ['b', 3],
      ]),
    );
  });

  it('looks up the phones and e-mails that eight visitors have together', async () => {
    const crm = crmWith(new Map());
    const withPhone = { key: '+971501234567', email: undefined, phone: '+971501234567' };
    await openLeadMatcher(crm).match([withPhone, ...'abcdefgh'.split('').map(person)]);
    expect(crm.lookups).toEqual([
      { phones: ['+971501234567'], emails: 'abcdefg'.split('') },
      { phones: [], emails: ['h'] },
    ]);
  });

  it('looks up only visitors that it does not know, with or without a lead', async () => {
    const crm = crmWith(new Map(leadsOf('a', 1, 1)));
    const matcher = openLeadMatcher(crm);
    await matcher.match(['a', 'b'].map(person));
    expect(await matcher.match(['a', 'b', 'c'].map(person))).toEqual(new Map([['a', 1]]));
    expect(crm.lookups.map(({ emails }) => emails)).toEqual([['a', 'b'], ['c']]);
  });

  it.each([
    [19, [['a', 'b']]],
    [20, [['a', 'b'], ['a'], ['b']]],
  ])('looks up each visitor alone when the CRM returns 20 leads: %i leads', async (count, lookups) => {
    const crm = crmWith(new Map([...leadsOf('a', 1, count - 1), ...leadsOf('b', 100, 1)]));
    expect((await openLeadMatcher(crm).match(['a', 'b'].map(person))).get('b')).toBe(100);
    expect(crm.lookups.map(({ emails }) => emails)).toEqual(lookups);
  });

  it('finds the lead of a visitor whose lookup together with another returns 20 leads of the other', async () => {
    const crm = crmWith(new Map([...leadsOf('a', 1, 25), ...leadsOf('b', 100, 1)]));
    expect((await openLeadMatcher(crm).match(['a', 'b'].map(person))).get('b')).toBe(100);
  });
});
