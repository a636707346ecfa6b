/** Seed data: ticket orders, some with several attendees, repeat buyers and unnamed tickets. */
import { createRandom, type Random } from '../kit/random.ts';

export interface Profile {
  first_name: string;
  last_name: string;
  name: string;
  email: string;
  cell_phone?: string;
  company?: string;
}

export interface Attendee {
  id: string;
  order_id: string;
  event_id: string;
  created: string;
  changed: string;
  status: 'Attending' | 'Not Attending';
  cancelled: boolean;
  refunded: boolean;
  ticket_class_name: string;
  profile: Profile;
  answers: { question_id: string; question: string; type: string; answer?: string }[];
}

export interface Order {
  id: string;
  created: string;
  changed: string;
  name: string;
  first_name: string;
  last_name: string;
  email: string;
  /** A refund or cancellation changes the attendees, not the order's status. */
  status: 'started' | 'pending' | 'placed' | 'abandoned';
  event_id: string;
  time_remaining: null;
  resource_uri: string;
  costs: Record<string, { currency: string; value: number; major_value: string; display: string }>;
  attendees: Attendee[];
}

export const events = [
  { id: '9001', name: 'Dubai Marina Launch Evening' },
  { id: '9002', name: 'Off-Plan Open House' },
  { id: '9003', name: 'Investor Breakfast' },
] as const;

const firstNames =
  'Amal Bashir Carla Deniz Ewa Faris Gita Hala Ilya Jana Kenji Lina Marco Nour Otto Paula Qasim Rosa Samir Tala'.split(
    ' ',
  );
const lastNames =
  'Abbas Bruno Castro Demir Engel Farah Gupta Hamdan Ito Jansen Kaya Lopez Moradi Nazari Okafor Park Rahman Saab Tanaka Weber'.split(
    ' ',
  );
const start = Date.parse('2026-01-05T06:00:00Z');
const minute = 60_000;

/** One order every ten minutes, ordered by time. */
export function seedOrders(count: number): Order[] {
  const random = createRandom('event orders');
  const buyers: Profile[] = [];
  return Array.from({ length: count }, (_, index) => {
    // Every eighth order has an earlier buyer.
    const repeatBuyer = buyers.length > 0 && index % 8 === 7 ? random.pick(buyers) : undefined;
    const buyer = repeatBuyer ?? newPerson(random, index);
    buyers.push(buyer);
    return newOrder(random, index, buyer);
  });
}

function newPerson(random: Random, index: number): Profile {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const email = `${first}.${last}.${index}@guest.example`.toLowerCase();
  const phone = `+97150${String(2_000_000 + index).padStart(7, '0')}`;
  return {
    first_name: first,
    last_name: last,
    name: `${first} ${last}`,
    // As typed on a phone: some with capitals and a leading space.
    email: random.chance(0.2) ? ` ${email.toUpperCase()}` : email,
    ...(random.chance(0.7) && { cell_phone: random.chance(0.5) ? phone : `0${phone.slice(4)}` }),
  };
}

function newOrder(random: Random, index: number, buyer: Profile): Order {
  const event = events[index % events.length] ?? events[0];
  const id = String(440_000_000 + index);
  const created = new Date(start + index * 10 * minute).toISOString().replace('.000', '');
  const unfinished = random.chance(0.05);
  const tickets = random.chance(0.3) ? random.whole(2, 4) : 1;
  const attendees = Array.from({ length: tickets }, (_, ticket): Attendee => {
    // A ticket repeats the buyer's profile unless the guest was named.
    const profile = ticket > 0 && random.chance(0.4) ? newPerson(random, 100_000 + index * 4 + ticket) : buyer;
    return {
      id: `${id}${ticket + 1}`,
      order_id: id,
      event_id: event.id,
      created,
      changed: created,
      status: 'Attending',
      cancelled: false,
      refunded: false,
      ticket_class_name: 'General admission',
      profile,
      answers: [
        {
          question_id: '31',
          question: 'What are you looking for?',
          type: 'text',
          answer: random.pick(['To invest', 'A home', 'Just looking']),
        },
        ...(profile.cell_phone === undefined
          ? [
              {
                question_id: '32',
                question: 'Your mobile number',
                type: 'text',
                answer: `050 ${2_500_000 + index}`,
              },
            ]
          : []),
      ],
    };
  });
  const price = { currency: 'AED', value: 0, major_value: '0.00', display: 'AED 0.00' };
  return {
    id,
    created,
    changed: created,
    name: buyer.name,
    first_name: buyer.first_name,
    last_name: buyer.last_name,
    email: buyer.email,
    status: unfinished ? random.pick(['started', 'pending', 'abandoned'] as const) : 'placed',
    event_id: event.id,
    time_remaining: null,
    resource_uri: `https://www.eventbriteapi.com/v3/orders/${id}/`,
    costs: { base_price: price, gross: price, eventbrite_fee: price, payment_fee: price, tax: price },
    attendees,
  };
}
