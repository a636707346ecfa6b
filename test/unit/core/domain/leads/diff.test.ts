import { describe, expect, it } from 'vitest';
import { diffLead, missingE164Phones } from '../../../../../core/domain/leads/diff.ts';
import { lead } from '../../../../support/lead.ts';

describe('what a lead does not have yet', () => {
  it('is all that is sent', () => {
    const has = lead({
      phones: ['+971501234567'],
      emails: ['A@x.example'],
      amount: '1500000',
      comments: 'Old',
    });
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

  it('is a field emptied, or a box unticked', () => {
    const has = lead({ comments: 'Old', marketingConsent: true, amount: '5' });
    const wanted = { comments: null, marketingConsent: false, amount: null };
    expect(diffLead(has, wanted)).toEqual(wanted);
  });

  it('is no phone in another spelling, unless for the spelling’s sake, and none twice', () => {
    const has = lead({ phones: ['050 123 4567', 'ask Amal'], emails: ['a@x.example'] });
    const phones = ['+971501234567', '+971507777777', '050 777 7777', 'ask Amal'];
    expect(diffLead(has, { phones, emails: ['A@x.example', 'b@x.example', 'B@x.example'] })).toEqual({
      phones: ['+971507777777'],
      emails: ['b@x.example'],
    });
    expect(diffLead(has, { phones: ['+971501234567'] }, true)).toEqual({ phones: ['+971501234567'] });
    expect(diffLead(has, { phones: ['050 123 4567'] }, true)).toEqual({});
  });

  it('is its number in E.164, once', () => {
    expect(missingE164Phones({ phones: ['050 123 4567', '0501234567', 'none'] })).toEqual(['+971501234567']);
    expect(missingE164Phones({ phones: ['050 123 4567', '+971501234567'] })).toEqual([]);
  });
});
