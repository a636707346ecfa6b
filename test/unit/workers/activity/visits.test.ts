/** Grouping of log entries by person, and the text of notes. */
import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../../core/integrations/activity-log/system.ts';
import { noteText, noteTitle, visitsOf } from '../../../../workers/activity/visits.ts';

const activity = (change: Partial<Activity>): Activity => ({
  id: 'a',
  at: new Date('2026-05-14T05:12:00Z'),
  action: 'listing.viewed',
  listing: null,
  crmId: null,
  email: null,
  phone: null,
  ...change,
});

describe('visits', () => {
  it('are grouped by e-mail, else by phone in any spelling', () => {
    const { visits } = visitsOf([
      activity({ email: 'a@x.example' }),
      activity({ phone: '050 123 4567' }),
      activity({ email: 'a@x.example', phone: '+971509999999' }),
      activity({ phone: '+971501234567' }),
    ]);
    expect(visits.map(({ visitor, activities }) => [visitor, activities.length])).toEqual([
      [{ key: 'a@x.example', email: 'a@x.example', phone: '+971509999999' }, 2],
      [{ key: '+971501234567', email: undefined, phone: '+971501234567' }, 2],
    ]);
  });

  it('leave out staff, and entries without e-mail and phone', () => {
    const found = visitsOf([activity({ crmId: 4, email: 'agent@x.example' }), activity({ phone: 'none' })]);
    expect(found).toEqual({ visits: [], staff: 1, anonymous: 1 });
  });
});

describe('a note', () => {
  it('has the times in Dubai, and the actions, most frequent first', () => {
    const late = new Date('2026-05-14T14:40:00Z');
    const text = noteText('2026-05-14', 1, [
      activity({ action: 'search.made', at: late }),
      activity({ listing: 'MP-S-1' }),
      activity({ listing: 'MP-S-2' }),
      activity({ listing: 'MP-S-2' }),
    ]);
    expect(text).toBe(
      'Portal activity on 14 May 2026\n4 actions between 09:12 and 18:40: listing viewed 3, search made 1\nListings: MP-S-2 2, MP-S-1 1',
    );
  });

  it('has a first line that is unique on the lead', () => {
    expect(new Set([noteTitle('2026-05-14', 1), noteTitle('2026-05-14', 2), noteTitle('2026-05-15', 1)]).size).toBe(3);
    expect(noteTitle('2026-05-14', 2)).toBe('Portal activity on 14 May 2026, recorded later (1)');
  });

  it('removes markup characters, and limits the number of listings', () => {
    const withMarkup = noteText('2026-05-14', 1, [activity({ action: '[url=x]go[/url]\nnow', listing: '<b>1' })]);
    expect(withMarkup.split('\n')[1]).toBe('1 action at 09:12: url=x go /url now 1');
    const many = Array.from({ length: 30 }, (_, index) => activity({ listing: `MP-${index}` }));
    expect(noteText('2026-05-14', 1, many)).toMatch(/, 22 others$/);
  });

  it('names eight listings, and no further ones when there are eight', () => {
    const listings = (count: number) =>
      Array.from({ length: count }, (_, index) => activity({ listing: `MP-${index}` }));
    const line = (count: number) => noteText('2026-05-14', 1, listings(count)).split('\n')[2];
    expect(line(8)).toBe(`Listings: ${Array.from({ length: 8 }, (_, index) => `MP-${index} 1`).join(', ')}`);
    expect(line(9)).toMatch(new RegExp(`^${line(8)}, 1 other$`));
  });

  it('has no line of listings without one', () =>
    expect(noteText('2026-05-14', 1, [activity({})]).split('\n')).toHaveLength(2));

  it('never cuts a character in two', () => {
    const text = noteText('2026-05-14', 1, [activity({ listing: `${'x'.repeat(59)}😀😀` })]);
    expect(text).toContain(`${'x'.repeat(59)}😀 1`);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });

  it('has words of one line and at most 60 characters', () => {
    const text = noteText('2026-05-14', 1, [activity({ action: `brochure..sent__by \u202e mail ${'x'.repeat(99)}` })]);
    expect(text.split('\n')[1]).toBe(`1 action at 09:12: brochure sent by mail ${'x'.repeat(38)} 1`);
  });
});
