/** The fields of a wanted change that a lead does not have yet. */
import { describe, expect, it } from 'vitest';
import { diffLead, missingE164Phones } from '../../../../../core/domain/leads/diff.ts';
import { lead } from '../../../../support/lead.ts';

describe('diffLead', () => {
  it('returns only fields that differ', () => {
    const has = lead({ phones: ['+971501234567'], emails: ['A@x.example'], amount: '1500000', comments: 'Old' });
    expect(
      diffLead(has, {
        title: has.title,
        comments: 'New',
        country: '',
        marketingConsent: null,
        amount: '1500000.00',
        phones: ['+971501234567', '+971507777777'],
        emails: ['a@X.example'],
        utm: { source: null, campaign: 'creek' },
      }),
    ).toEqual({ comments: 'New', phones: ['+971507777777'], utm: { campaign: 'creek' } });
  });

  it('returns emptied fields and cleared flags', () => {
    const has = lead({ comments: 'Old', marketingConsent: true, amount: '5' });
    const wanted = { comments: null, marketingConsent: false, amount: null };
    expect(diffLead(has, wanted)).toEqual(wanted);
  });

  it('skips phones in another spelling unless respelling is requested, and removes duplicates', () => {
    const has = lead({ phones: ['050 123 4567', 'ask Amal'], emails: ['a@x.example'] });
    const phones = ['+971501234567', '+971507777777', '050 777 7777', 'ask Amal'];
    expect(diffLead(has, { phones, emails: ['A@x.example', 'b@x.example', 'B@x.example'] })).toEqual({
      phones: ['+971507777777'],
      emails: ['b@x.example'],
    });
    expect(diffLead(has, { phones: ['+971501234567'] }, true)).toEqual({ phones: ['+971501234567'] });
    expect(diffLead(has, { phones: ['050 123 4567'] }, true)).toEqual({});
  });
});

describe('missingE164Phones', () => {
  it('returns each number once in E.164, if the lead lacks that spelling', () => {
    expect(missingE164Phones({ phones: ['050 123 4567', '0501234567', 'none'] })).toEqual(['+971501234567']);
    expect(missingE164Phones({ phones: ['050 123 4567', '+971501234567'] })).toEqual([]);
  });
});
