/** Orders and attendees, from Eventbrite's form to ours. */
import { describe, expect, it } from 'vitest';
import { Me, OrdersPage, ourOrder, system } from '../../../../../core/integrations/events/wire.ts';
import { everyRow } from '../../../../../core/integrations/kit/read-rows.ts';

const attendee = { id: '1', order_id: '7' };
const order = { id: '7', changed: '2026-01-30T10:00:00Z', status: 'placed', event_id: '9' };

function read(change: object = {}) {
  const pagination = { has_more_items: false };
  const [row] = everyRow(system, OrdersPage.parse({ pagination, orders: [{ ...order, ...change }] }).orders);
  if (!row) throw new Error('no order');
  return ourOrder(row);
}
const readAttendee = (change: object) => read({ attendees: [{ ...attendee, ...change }] }).attendees[0];

describe('an order', () => {
  it('has its event and its attendees', () =>
    expect(read({ event: { name: { text: 'Open house' } }, attendees: [attendee] })).toMatchObject({
      id: '7',
      changedAt: new Date('2026-01-30T10:00:00Z'),
      placed: true,
      event: { id: '9', name: 'Open house' },
      attendees: [{ id: '1' }],
    }));

  it.each([undefined, {}, { name: null }, { name: {} }, { name: { text: null } }])(
    'names its event by the id where the platform names none: %j',
    event => expect(read({ event })).toMatchObject({ event: { name: 'Event 9' }, attendees: [] }),
  );

  it.each([
    ['placed', true],
    ['refunded', true],
    ['started', false],
    ['pending', false],
    ['abandoned', false],
  ])('with the status %s was placed: %s', (status, placed) => expect(read({ status })).toMatchObject({ placed }));
});

describe('an attendee', () => {
  it.each([
    [{ first_name: ' Sara ', last_name: ' Haddad ', name: 'Other Name' }, 'Sara', 'Haddad'],
    [{ name: '  Sara  Al   Haddad ' }, 'Sara', 'Al Haddad'],
    [{ first_name: ' ', last_name: null, name: 'Sara Haddad' }, 'Sara', 'Haddad'],
    [{ name: 'Sara' }, 'Sara', ''],
    [{}, '', ''],
    [undefined, '', ''],
  ])('%j is named %s %s', (profile, firstName, lastName) =>
    expect(readAttendee({ profile })).toMatchObject({ firstName, lastName }),
  );

  it.each([
    [{ email: ' Sara@Example.com ' }, 'sara@example.com'],
    [{ email: ' ' }, null],
    [{}, null],
  ])('%j has the e-mail %s', (profile, email) => expect(readAttendee({ profile })).toMatchObject({ email }));

  it.each([
    [{ cancelled: true }, 'cancelled'],
    [{ refunded: true }, 'refunded'],
    [{ cancelled: true, refunded: true }, 'refunded'],
    [{}, 'attending'],
  ])('%j is %s', (change, state) => expect(readAttendee(change)).toMatchObject({ state }));
});

describe('the phone number', () => {
  const asked = (question: string | null, answer: string | null = '050 123 4567') => ({
    answers: [{ question, answer }],
  });

  it.each(['Phone', 'Your mobile number?', 'WhatsApp', 'Contact No.'])('is the answer to %j', question =>
    expect(readAttendee(asked(question))).toMatchObject({ phone: '+971501234567' }),
  );

  it.each(['Passport', 'Emergency contact', null])('is not the answer to %j', question =>
    expect(readAttendee(asked(question))).toMatchObject({ phone: null }),
  );

  it('is that of the profile if it is valid, else the first valid answer', () => {
    const answers = [
      { question: 'Phone', answer: 'none' },
      { question: 'Mobile', answer: '050 765 4321' },
    ];
    expect(readAttendee({ profile: { cell_phone: '+971501234567' }, answers })).toMatchObject({
      phone: '+971501234567',
    });
    expect(readAttendee({ profile: { cell_phone: '12' }, answers })).toMatchObject({ phone: '+971507654321' });
  });

  it.each([{}, asked('Phone', null), asked('Phone', 'none'), { answers: [{}] }])(
    'is null without a valid one: %j',
    change => expect(readAttendee(change)).toMatchObject({ phone: null }),
  );
});

describe('the owner of the token', () => {
  it('may have no e-mail', () =>
    expect(Me.parse({ id: '1', name: 'Sara' })).toEqual({ id: '1', name: 'Sara', emails: [] }));

  it('has e-mails that are not primary unless the platform says so', () =>
    expect(Me.parse({ id: '1', name: 'Sara', emails: [{ email: 'a@example.com' }] }).emails).toEqual([
      { email: 'a@example.com', primary: false },
    ]));
});
