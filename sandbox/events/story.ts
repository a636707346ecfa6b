/** What happens to orders after they were bought: details are corrected, orders refunded or cancelled. */
import type { Order } from './seed.ts';

const hour = 3_600_000;

const later = (time: string, hours: number): string =>
  new Date(Date.parse(time) + hours * hour).toISOString().replace('.000', '');

/** @param chapter see the settings */
export function toldOrders(orders: readonly Order[], chapter: number): Order[] {
  return orders.map((order, index) => {
    if (order.status !== 'placed') return order;
    if (chapter >= 2 && index % 20 === 3) return ended(order, index % 40 === 3 ? 'refunded' : 'cancelled');
    return chapter >= 1 && index % 10 === 1 ? corrected(order) : order;
  });
}

/** The first attendee has another telephone number and spells the name in full. */
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

function ended(order: Order, status: 'refunded' | 'cancelled'): Order {
  const changed = later(order.changed, 3_000);
  const attendees = order.attendees.map(attendee => ({
    ...attendee,
    changed,
    status: 'Not Attending' as const,
    cancelled: status === 'cancelled',
    refunded: status === 'refunded',
  }));
  return { ...order, status, changed, attendees };
}
