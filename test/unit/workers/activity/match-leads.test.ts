/** The lead of a visitor. */
import { describe, expect, it } from 'vitest';
import { leadOf } from '../../../../workers/activity/match-leads.ts';

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

  it('is the newest closed one if none is open', () => {
    expect(leadOf(visitor({ email: 'b@x.example' }), leads)).toBe(5);
  });

  it('is undefined if no lead has the e-mail or phone', () => {
    expect(leadOf(visitor({ phone: '+971509999999' }), [...leads, lead(6, 'open', {})])).toBeUndefined();
  });
});
