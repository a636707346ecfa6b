/** Tickets become guests, and guests become steps: one lead a guest, however often orders change. */
import { describe, expect, it } from 'vitest';
import type { Attendee, Order } from '../../../../core/integrations/events/wire.ts';
import type { EventLead } from '../../../../workers/event-orders/event-leads.ts';
import { guestsOf, planSteps } from '../../../../workers/event-orders/plan.ts';

const ticket = (id: string, change: Partial<Attendee> = {}): Attendee => ({
  id,
  firstName: 'Sara',
  lastName: 'Haddad',
  email: 'sara@x.example',
  phone: null,
  state: 'attending',
  ...change,
});
const order = (id: string, attendees: Attendee[], change: Partial<Order> = {}): Order => ({
  id,
  changedAt: new Date(1_000),
  placed: true,
  event: { id: '9', name: 'Open house' },
  attendees,
  ...change,
});
const none = new Map<string, string>();
const ticketIds = (orders: readonly Order[], known = none) =>
  guestsOf(orders, known).map(({ tickets }) => tickets.map(({ id }) => id));

describe('guests', () => {
  it('have all tickets with their e-mail, else with their phone, else one ticket', () => {
    const byPhone = { email: null, phone: '+971501234567' };
    const anonymous = { email: null, phone: null };
    expect(
      ticketIds([
        order('1', [ticket('a'), ticket('b', { firstName: 'Sam' }), ticket('c', byPhone), ticket('d', anonymous)]),
        order('2', [
          ticket('e'),
          ticket('f', byPhone),
          ticket('g', anonymous),
          ticket('h', { ...byPhone, email: 'x@x.example' }),
        ]),
      ]),
    ).toEqual([['a', 'b', 'e'], ['c', 'f'], ['d'], ['g'], ['h']]);
  });

  it('of two events are two', () => {
    const other = { event: { id: '8', name: 'Other' } };
    const [one, two] = guestsOf([order('1', [ticket('a')]), order('2', [ticket('b')], other)], none);
    expect([one?.event.id, two?.event.id]).toEqual(['9', '8']);
    expect(one?.key).toMatch(/^9:[0-9a-f]{24}$/);
    expect(two?.key).toMatch(/^8:/);
    expect(one?.key.slice(2)).toBe(two?.key.slice(2));
  });

  it('keep the key of earlier runs after their address was corrected', () => {
    const known = new Map([['a', '9:known']]);
    const guests = guestsOf([order('1', [ticket('a', { email: 'new@x.example' }), ticket('b')])], known);
    expect(guests.map(({ key }) => key)).toEqual(['9:known', expect.stringMatching(/^9:[0-9a-f]{24}$/)]);
  });

  it('have the tickets of the latest version of each order, last changed at the end', () => {
    const at = (ms: number) => ({ changedAt: new Date(ms) });
    const orders = [
      order('1', [ticket('late')], at(5_000)),
      order('2', [ticket('old')], at(1_000)),
      order('2', [ticket('same time')], at(2_000)),
      order('2', [ticket('new')], at(2_000)),
      order('1', [ticket('early')], at(4_000)),
    ];
    expect(ticketIds(orders)).toEqual([['new', 'late']]);
  });

  it('are none of an order that was not placed', () => {
    expect(ticketIds([order('1', [ticket('a')], { placed: false })])).toEqual([]);
    const begun = order('1', [], { placed: false, changedAt: new Date(9_000) });
    expect(ticketIds([order('1', [ticket('a')]), begun])).toEqual([['a']]);
  });
});

/** The steps of the only guest of these tickets. */
function stepOf(tickets: Attendee[], lead?: EventLead) {
  const [guest] = guestsOf([order('1', tickets)], new Map(tickets.map(({ id }) => [id, 'guest'])));
  const [step] = planSteps(guest ? [guest] : [], new Map(lead ? [['guest', lead]] : []));
  if (!step) throw new Error('no step');
  return step;
}

/** The lead as stored after these tickets were applied. */
function leadAfter(...tickets: Attendee[]): EventLead {
  const step = stepOf(tickets.map(each => ({ ...each, state: 'attending' })));
  const stored = step.do === 'create' ? step.tickets : [];
  return {
    key: 'guest',
    leadId: 7,
    tickets: stored.map((each, index) => ({ ...each, state: tickets[index]?.state ?? 'attending' })),
  };
}

describe('a new guest', () => {
  it('becomes a lead', () =>
    expect(stepOf([ticket('a')])).toMatchObject({
      do: 'create',
      guest: { key: 'guest' },
      tickets: [{ attendeeId: 'a', leadKey: 'guest', state: 'attending', detailsDigest: expect.any(String) }],
      details: { firstName: 'Sara', lastName: 'Haddad', email: 'sara@x.example', phone: null },
    }));

  it('has the newest details, completed from older tickets', () => {
    const step = stepOf([
      ticket('a', { phone: '+971501234567', lastName: 'Old' }),
      ticket('b', { email: null, firstName: 'New', lastName: '' }),
    ]);
    expect(step).toMatchObject({
      details: { firstName: 'New', lastName: 'Old', email: 'sara@x.example', phone: '+971501234567' },
    });
  });

  it('may have no details', () =>
    expect(stepOf([ticket('a', { firstName: '', lastName: '', email: null })])).toMatchObject({
      details: { firstName: '', lastName: '', email: null, phone: null },
    }));

  it('does not become a lead when all tickets were given back', () => {
    expect(stepOf([ticket('a', { state: 'refunded' }), ticket('b', { state: 'cancelled' })])).toMatchObject({
      do: 'nothing',
      reason: 'not a lead',
    });
    expect(stepOf([ticket('a', { state: 'refunded' }), ticket('b')])).toMatchObject({ do: 'create' });
  });
});

describe('a guest with a lead', () => {
  it('needs nothing when no ticket changed', () =>
    expect(stepOf([ticket('a'), ticket('b')], leadAfter(ticket('a'), ticket('b')))).toMatchObject({
      do: 'nothing',
      reason: 'unchanged',
    }));

  it('gets another ticket, without details that the lead has', () =>
    expect(stepOf([ticket('a'), ticket('b')], leadAfter(ticket('a')))).toMatchObject({
      do: 'update',
      leadId: 7,
      tickets: [{ attendeeId: 'b' }],
      details: undefined,
      ended: undefined,
    }));

  it.each([{ phone: '+971501234567' }, { firstName: 'Sarah' }, { lastName: 'H' }, { email: 'new@x.example' }])(
    'gets the details of a changed ticket only: %j',
    change => {
      const step = stepOf([ticket('a', change), ticket('b')], leadAfter(ticket('a'), ticket('b')));
      const { id, state, ...details } = ticket('a', change);
      expect(step).toMatchObject({ do: 'update', tickets: [{ attendeeId: id, state }], details });
    },
  );

  it('gets no details of a ticket that was only given back', () =>
    expect(
      stepOf([ticket('a', { state: 'cancelled' }), ticket('b')], leadAfter(ticket('a'), ticket('b'))),
    ).toMatchObject({
      do: 'update',
      tickets: [{ attendeeId: 'a', state: 'cancelled' }],
      details: undefined,
      ended: undefined,
    }));

  it.each([
    [['refunded', 'attending'], undefined],
    [['cancelled', 'cancelled'], 'cancelled'],
    [['cancelled', 'refunded'], 'refunded'],
  ] as const)('ends when the last ticket was given back: %j', ([one, two], ended) =>
    expect(
      stepOf([ticket('a', { state: one }), ticket('b', { state: two })], leadAfter(ticket('a'), ticket('b'))),
    ).toMatchObject({ do: 'update', ended }),
  );

  it('does not end while a ticket of an order that is not read attends', () =>
    expect(stepOf([ticket('a', { state: 'refunded' })], leadAfter(ticket('a'), ticket('b')))).toMatchObject({
      ended: undefined,
    }));

  it('ends once', () => {
    const given = leadAfter(ticket('a', { state: 'cancelled' }));
    expect(stepOf([ticket('a', { state: 'refunded' })], given)).toMatchObject({ do: 'update', ended: undefined });
  });
});
