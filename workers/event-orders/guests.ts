/** Finds the persons among the tickets: a ticket is often a copy of the buyer's, and people order twice. */
import { createHash } from 'node:crypto';
import type { Attendee, Order } from '../../core/integrations/events/wire.ts';

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
