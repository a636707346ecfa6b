/** Changes of orders after the purchase: corrected details, refunds and cancellations. */
import type { Order } from './seed.ts';

const hour = 3_600_000;

const later = (time: string, hours: number): string =>
  new Date(Date.parse(time) + hours * hour).toISOString().replace('.000', '');

/** Returns the orders in the state of the setting `chapter`. */
export function ordersInChapter(orders: readonly Order[], chapter: number): Order[] {
  return orders.map((order, index) => {
    if (order.status !== 'placed') return order;
    if (chapter >= 2 && index % 20 === 3) return withdrawn(order, index % 40 === 3 ? 'refunded' : 'cancelled');
    return chapter >= 1 && index % 10 === 1 ? corrected(order) : order;
  });
}

/** The first attendee has a new phone number and a longer name. */
function corrected(order: Order): Order {
  const changed = later(order.changed, 2_000);
  const attendees = order.attendees.map((attendee, ticket) =>
    ticket > 0
      ? attendee
      : {
          ...attendee,
          changed,
          profile: {
            ...attendee.profile,
            name: `${attendee.profile.name} Jr.`,
            last_name: `${attendee.profile.last_name} Jr.`,
            cell_phone: `+97155${order.id.slice(-7)}`,
          },
        },
  );
  return { ...order, changed, attendees };
}

function withdrawn(order: Order, status: 'refunded' | 'cancelled'): Order {
  const changed = later(order.changed, 3_000);
  const attendees = order.attendees.map(attendee => ({
    ...attendee,
    changed,
    status: 'Not Attending' as const,
    cancelled: status === 'cancelled',
    refunded: status === 'refunded',
  }));
  return { ...order, changed, attendees };
}

export const withoutPhones = (order: Order): Order => ({
  ...order,
  attendees: order.attendees.map(({ profile: { cell_phone: _, ...profile }, ...attendee }) => ({
    ...attendee,
    profile,
    answers: attendee.answers.filter(({ question }) => !question.includes('mobile')),
  })),
});
