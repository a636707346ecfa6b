/** Groups tickets into guests, and plans what to do with the lead of each guest. */
import { hash } from 'node:crypto';
import type { Attendee, Order } from '../../core/integrations/events/wire.ts';
import type { EventLead, EventTicket } from './event-leads.ts';

/** A person with tickets of one event: several tickets may have the buyer's data, and people order twice. */
interface Guest {
  /** The event and a digest that identifies the person. */
  key: string;
  event: { id: string; name: string };
  /** One per ticket, last changed at the end. */
  tickets: Attendee[];
}

/** @param known attendee id → guest key of earlier runs: a corrected address does not make a new guest */
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

/** The tickets of the latest version of each order, last changed at the end. */
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

/** By e-mail, else by phone, else by ticket. */
function keyOf(eventId: string, { id, email, phone }: Attendee): string {
  const person = email ?? phone ?? `ticket ${id}`;
  return `${eventId}:${hash('sha256', person).slice(0, 24)}`;
}

export type Step =
  | { do: 'create'; guest: Guest; tickets: EventTicket[]; details: Details }
  | {
      do: 'update';
      guest: Guest;
      leadId: number;
      /** New and changed tickets. */
      tickets: EventTicket[];
      /** New details of the person; undefined if the lead has them. */
      details: Details | undefined;
      /** Set when the last ticket was given back. */
      ended: 'refunded' | 'cancelled' | undefined;
    }
  | { do: 'nothing'; guest: Guest; reason: 'unchanged' | 'not a lead' };

export type Details = Pick<Attendee, 'firstName' | 'lastName' | 'email' | 'phone'>;

export const planSteps = (guests: readonly Guest[], leads: ReadonlyMap<string, EventLead>): Step[] =>
  guests.map(guest => {
    const lead = leads.get(guest.key);
    return lead ? stepForLead(guest, lead) : stepForNewGuest(guest);
  });

/** A guest whose tickets were all given back before does not become a lead. */
function stepForNewGuest(guest: Guest): Step {
  if (guest.tickets.every(({ state }) => state !== 'attending')) return { do: 'nothing', guest, reason: 'not a lead' };
  const tickets = guest.tickets.map(ticket => toEventTicket(ticket, guest.key));
  return { do: 'create', guest, tickets, details: detailsOf(guest.tickets) };
}

function stepForLead(guest: Guest, lead: EventLead): Step {
  const known = new Map(lead.tickets.map(ticket => [ticket.attendeeId, ticket]));
  const tickets = guest.tickets.map(ticket => toEventTicket(ticket, guest.key));
  const changed = tickets.filter(ticket => {
    const before = known.get(ticket.attendeeId);
    return before?.state !== ticket.state || before.detailsDigest !== ticket.detailsDigest;
  });
  if (changed.length === 0) return { do: 'nothing', guest, reason: 'unchanged' };
  const knownDetails = new Set(lead.tickets.map(ticket => ticket.detailsDigest));
  const newIds = changed.filter(one => !knownDetails.has(one.detailsDigest)).map(one => one.attendeeId);
  const withNewDetails = guest.tickets.filter(ticket => newIds.includes(ticket.id));
  return {
    do: 'update',
    guest,
    leadId: lead.leadId,
    tickets: changed,
    details: withNewDetails.length > 0 ? detailsOf(withNewDetails) : undefined,
    ended: endedBy(lead.tickets, tickets),
  };
}

function endedBy(before: readonly EventTicket[], now: readonly EventTicket[]): 'refunded' | 'cancelled' | undefined {
  const states = new Map([...before, ...now].map(({ attendeeId, state }) => [attendeeId, state]));
  const attended = before.some(({ state }) => state === 'attending');
  const attends = [...states.values()].includes('attending');
  if (!attended || attends) return undefined;
  return now.some(({ state }) => state === 'refunded') ? 'refunded' : 'cancelled';
}

/** The newest ticket's details, completed from the older ones. */
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

const toEventTicket = ({ id, state, ...details }: Attendee, leadKey: string): EventTicket => ({
  attendeeId: id,
  leadKey,
  state,
  detailsDigest: digestOf(details),
});

const digestOf = ({ firstName, lastName, email, phone }: Details): string =>
  hash('sha256', JSON.stringify([firstName, lastName, email, phone]));
