/** The fields that enrichment derives. */
import { describe, expect, it } from 'vitest';
import type { CrmUser } from '../../../../core/integrations/crm/users.ts';
import { activitySummary, agentOf, countryOf, dncOf, leadText } from '../../../../workers/leads/enrichment.ts';
import { emptyLead, lead } from '../../../support/lead.ts';

describe('enrichment', () => {
  it('uses the country of the first number that has one', () => {
    expect(countryOf({ phones: ['none', '+442071838750', '0501234567'] })).toBe('GB');
    expect(countryOf({ phones: [] })).toBeUndefined();
  });

  it('uses the strictest status of all numbers', () => {
    expect(dncOf(['clear', 'listed', 'unknown'])).toBe('listed');
    expect(dncOf(['clear', 'unknown', 'invalid'])).toBe('unknown');
    expect(dncOf(['invalid'])).toBeUndefined();
  });

  it('uses all text of the lead without the person’s name', () => {
    const text = leadText(
      lead({
        title: 'Marina Rossi: flat in Dubai Marina',
        comments: '<p>Sea&nbsp;view</p>',
        utm: { ...emptyLead.utm, campaign: 'creek-views' },
      }),
    );
    expect(text).toContain('creek views');
    expect(text).not.toMatch(/rossi|<p>/i);
    expect(text.split('\n')[0]).toBe('flat in Dubai Marina');
    expect(leadText(lead({ title: 'Call from Marina Rossi' }))).not.toContain('Marina');
  });
});

describe('the agent', () => {
  const user = (id: number, change: Partial<CrmUser> = {}): CrmUser => ({
    id,
    firstName: null,
    lastName: null,
    name: `Agent ${id}`,
    email: `agent.${id}@firm.example`,
    phones: [`050 000 000${id}`],
    jobTitle: null,
    departmentIds: [],
    active: true,
    ...change,
  });
  const users = [user(1), user(2), user(3), user(4, { active: false })];
  const agent = (comments: string, assignedUserId = 3) => agentOf(lead({ comments, assignedUserId }), users)?.id;

  it.each([
    ['the user whose e-mail is in the text', 'Please ask (Agent.1@Firm.example).', 1],
    ['the user whose phone is in the text', 'I spoke to +971 50 000 0002 yesterday', 2],
    ['otherwise the assigned user', 'A flat, please', 3],
    ['never a dismissed user', 'agent.4@firm.example', 3],
  ])('is %s', (_, comments, id) => expect(agent(comments)).toBe(id));

  it('is undefined if the assigned user is dismissed', () => expect(agent('', 4)).toBeUndefined());
});

describe('the activity summary', () => {
  const at = new Date('2026-05-28T21:00:00Z');
  const one = (action: string) => ({ id: action, at, action, listing: null, crmId: null, email: null, phone: null });

  it('has the number of actions, the last day, and the most frequent actions', () => {
    const activities = [one('search.made'), one('listing.viewed'), one('listing.viewed')];
    expect(activitySummary({ total: 3, activities })).toBe(
      '3 actions, last on 2026-05-29: listing viewed 2, search made 1',
    );
    expect(activitySummary({ total: 900, activities })).toMatch(/^900 actions, .* \(of the newest 3\)$/);
    expect(activitySummary({ total: 0, activities: [] })).toBeUndefined();
  });
});
