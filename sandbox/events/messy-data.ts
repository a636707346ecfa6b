/** Odd orders as real accounts have them, served while the setting `messyData` is on; the stored orders stay as they are. */
import type { Attendee, Order } from './seed.ts';

type Shown = Omit<Order, 'attendees'> & { attendees?: readonly Omit<Attendee, 'answers'>[] };

/** The answer to a question about an address. */
const address = {
  question_id: '33',
  question: 'Your address',
  type: 'address',
  answer: { address_1: 'Sheikh Zayed Road', city: 'Dubai', country: 'AE' },
};

/** Among 20 orders, one has no attendees, one has a date without a zone, and others have odd attendees. */
export function messyOrder(order: Shown): object {
  const { attendees = [] } = order;
  switch (Number(order.id) % 20) {
    case 5:
      return { ...order, attendees: null };
    case 6:
      return { ...order, changed: order.changed.replace('Z', '') };
    case 7:
      return { ...order, attendees: attendees.map(attendee => ({ ...attendee, profile: null })) };
    case 8:
      return { ...order, attendees: attendees.map(attendee => ({ ...attendee, answers: [address] })) };
    case 9:
      return { ...order, attendees: attendees.map(attendee => ({ ...attendee, order_id: null })) };
    default:
      return order;
  }
}
