/** What is to be done about each guest, given what the lead was told before. */
import { createHash } from 'node:crypto';
import type { Attendee, Order } from '../../core/integrations/events/wire.ts';
import type { EventLead, EventTicket } from './event-leads.ts';

export type Step =
  | { do: 'create'; guest: Guest; tickets: EventTicket[]; details: Details }
  | {
      do: 'update';
      guest: Guest;
      leadId: number;
      /** Those that are new or have changed. */
      tickets: EventTicket[];
      /** What the lead is to be told of the person; undefined: it knows. */
      details: Details | undefined;
      /** The last ticket was given back. */
      ended: 'refunded' | 'cancelled' | undefined;
    }
  | { do: 'nothing'; guest: Guest; why: 'the same' | 'not a lead' };

export type Details = Pick<Attendee, 'firstName' | 'lastName' | 'email' | 'phone'>;

export const planSteps = (guests: readonly Guest[], leads: ReadonlyMap<string, EventLead>): Step[] =>
  guests.map(guest => {
    const lead = leads.get(guest.key);
    return lead ? stepForLead(guest, lead) : stepForNewcomer(guest);
  });

/** Nobody becomes a lead whose tickets were all given back before. */
function stepForNewcomer(guest: Guest): Step {
  if (guest.tickets.every(({ state }) => state !== 'attending'))
    return { do: 'nothing', guest, why: 'not a lead' };
  const tickets = guest.tickets.map(ticket => asKept(ticket, guest.key));
  return { do: 'create', guest, tickets, details: detailsOf(guest.tickets) };
}

function stepForLead(guest: Guest, lead: EventLead): Step {
  const kept = new Map(lead.tickets.map(ticket => [ticket.attendeeId, ticket]));
  const tickets = guest.tickets.map(ticket => asKept(ticket, guest.key));
  const changed = tickets.filter(ticket => {
    const before = kept.get(ticket.attendeeId);
    return before?.state !== ticket.state || before.detailsDigest !== ticket.detailsDigest;
  });
  if (changed.length === 0) return { do: 'nothing', guest, why: 'the same' };
  const told = new Set(lead.tickets.map(ticket => ticket.detailsDigest));
  const untold = changed.filter(ticket => !told.has(ticket.detailsDigest)).map(ticket => ticket.attendeeId);
  const news = guest.tickets.filter(ticket => untold.includes(ticket.id));
  return {
    do: 'update',
    guest,
    leadId: lead.leadId,
    tickets: changed,
    details: news.length > 0 ? detailsOf(news) : undefined,
    ended: endedBy(lead.tickets, tickets),
  };
}

function endedBy(
  before: readonly EventTicket[],
  now: readonly EventTicket[],
): 'refunded' | 'cancelled' | undefined {
  const states = new Map([...before, ...now].map(({ attendeeId, state }) => [attendeeId, state]));
  const attended = before.some(({ state }) => state === 'attending');
  const attends = [...states.values()].includes('attending');
  if (!attended || attends) return undefined;
  return now.some(({ state }) => state === 'refunded') ? 'refunded' : 'cancelled';
}

/** The newest ticket's, filled up from the others. */
function detailsOf(tickets: readonly Attendee[]): Details {
  const newestFirst = [...tickets].reverse();
  const first = (of: (ticket: Attendee) => string | null) => newestFirst.map(of).find(Boolean) ?? null;
  return {
    firstName: first(ticket => ticket.firstName) ?? '',
    lastName: first(ticket => ticket.lastName) ?? '',
    email: first(ticket => ticket.email),
    phone: first(ticket => ticket.phone),
  };
}

const asKept = ({ id, state, ...details }: Attendee, leadKey: string): EventTicket => ({
  attendeeId: id,
  leadKey,
  state,
  detailsDigest: digestOf(details),
});

const digestOf = ({ firstName, lastName, email, phone }: Details): string =>
  createHash('sha256')
    .update(JSON.stringify([firstName, lastName, email, phone]))
    .digest('hex');

/** A person who comes, or came, to one event. */
export interface Guest {
  /** What tells the person apart, without saying who it is. */
  key: string;
  event: { id: string; name: string };
  /** One a ticket, the one that was changed last at the end. */
  tickets: Attendee[];
}

/** @param known the keys of attendees that were seen before: a person who has corrected an address stays the same */
export function guestsOf(orders: readonly Order[], known: ReadonlyMap<string, string>): Guest[] {
  const guests = new Map<string, Guest>();
  for (const { event, attendee } of ticketsByAge(orders)) {
    const key = known.get(attendee.id) ?? keyOf(event.id, attendee);
    const guest = guests.get(key) ?? { key, event, tickets: [] };
    guest.tickets.push(attendee);
    guests.set(key, guest);
  }
  return [...guests.values()];
}

/** Each order once, as it was changed last. */
function ticketsByAge(orders: readonly Order[]) {
  const latest = new Map<string, Order>();
  for (const order of orders) {
    const other = latest.get(order.id);
    if (order.placed && (!other || other.changedAt <= order.changedAt)) latest.set(order.id, order);
  }
  return [...latest.values()]
    .sort((one, other) => one.changedAt.getTime() - other.changedAt.getTime())
    .flatMap(({ event, attendees }) => attendees.map(attendee => ({ event, attendee })));
}

/** By e-mail, else by telephone, else each ticket for itself. */
function keyOf(eventId: string, { id, email, phone }: Attendee): string {
  const person = email ?? phone ?? `ticket ${id}`;
  return `${eventId}:${createHash('sha256').update(person).digest('hex').slice(0, 24)}`;
}
