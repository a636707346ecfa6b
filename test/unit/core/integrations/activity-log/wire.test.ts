/** Entries of the log store in their several forms. */
import { describe, expect, it } from 'vitest';
import { ActivityLogConfig } from '../../../../../core/integrations/activity-log/config.ts';
import { searchAnswer, sourceField, system } from '../../../../../core/integrations/activity-log/wire.ts';
import { everyRow } from '../../../../../core/integrations/kit/read-rows.ts';
import { readConfig } from '../../../../../core/runtime/config.ts';

const entry = { '@timestamp': '2026-01-30T10:00:00Z', 'event.id': 'a' };

function read(source: object, env: Record<string, string> = {}) {
  const { hits } = searchAnswer(readConfig(ActivityLogConfig, env)).parse({
    timed_out: false,
    _shards: { failed: 0 },
    hits: { total: { value: 1, relation: 'eq' }, hits: [{ _source: { ...entry, ...source }, sort: ['a', 1] }] },
  });
  return everyRow(system, hits.hits.rows)[0];
}

describe('an entry', () => {
  it('has its members by whole names or in objects', () => {
    const expected = {
      id: 'a',
      at: new Date('2026-01-30T10:00:00Z'),
      action: 'listing.viewed',
      listing: 'MP-1',
      crmId: 7,
      email: 'sara@example.com',
      phone: '+971501234567',
    };
    const user = { crm_id: '7', email: ' Sara@Example.com ', phone: '+971501234567' };
    expect(read({ event: { id: 'x', action: 'listing.viewed' }, 'listing.reference': 'MP-1', user })).toMatchObject({
      ...expected,
      action: 'listing.viewed',
    });
    const whole = {
      'user.crm_id': 7,
      'user.email': user.email,
      'user.phone': user.phone,
      'event.action': 'listing.viewed',
    };
    expect(read({ ...whole, 'listing.reference': 'MP-1' })).toEqual(expected);
  });

  it('may have an id and texts that are numbers', () =>
    expect(read({ 'event.id': 7, 'listing.reference': 42 })).toMatchObject({ id: '7', listing: '42' }));

  it('has null for members that it lacks, and the action `other`', () =>
    expect(read({})).toMatchObject({ action: 'other', listing: null, crmId: null, email: null, phone: null }));

  it.each([{ user: null }, { user: 'sara' }, { user: {} }, { 'user.email': ' ' }, { 'user.email': null }])(
    'has no e-mail with %j',
    source => expect(read(source)).toMatchObject({ email: null }),
  );

  it.each([0, -1, 1.5, 'none'])('has no CRM id with %j', crm_id =>
    expect(read({ user: { crm_id } })).toMatchObject({ crmId: null }),
  );

  it('has the configured members', () =>
    expect(read({ who: { mail: 'A@x.example' } }, { ACTIVITY_LOG_EMAIL_FIELD: 'who.mail.raw' })).toMatchObject({
      email: 'a@x.example',
    }));

  it.each([{ 'event.id': undefined }, { '@timestamp': 'yesterday' }, { 'listing.reference': {} }])(
    'is not %j',
    source => expect(() => read(source)).toThrow(),
  );
});

it.each([
  ['user.email.keyword', 'user.email'],
  ['user.email.raw', 'user.email'],
  ['keyword.value', 'keyword.value'],
  ['user.keyword.id', 'user.keyword.id'],
])('the field of %s is %s', (name, field) => expect(sourceField(name)).toBe(field));
