/** The members of Eventbrite's answers that are read (API v3, Orders and Users), and their conversion to our types. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import { goodRows, type RowKind, rowsIn } from '../kit/read-rows.ts';

export const system = { name: 'events', title: 'The events platform' };
const kind = (record: string): RowKind => ({ system, record, id: 'id' });

export const Pagination = z.object({
  object_count: z.int().nullish(),
  has_more_items: z.boolean(),
  continuation: z.string().optional(),
});

/** The answer to a question about an address or a date is an object. */
const WireAnswer = z.object({ question: z.string().nullish(), answer: z.unknown().optional() });

const WireAttendee = z.object({
  id: z.string(),
  order_id: z.string(),
  cancelled: z.boolean().default(false),
  refunded: z.boolean().default(false),
  profile: z
    .object({
      first_name: z.string().nullish(),
      last_name: z.string().nullish(),
      name: z.string().nullish(),
      email: z.string().nullish(),
      cell_phone: z.string().nullish(),
    })
    .nullish()
    .transform(profile => profile ?? {}),
  answers: z
    .array(WireAnswer)
    .nullish()
    .transform(answers => answers ?? []),
});

const WireOrder = z.object({
  id: z.string(),
  changed: z.iso.datetime(),
  status: z.string(),
  event_id: z.string(),
  event: z.object({ name: z.object({ text: z.string().nullish() }).nullish() }).optional(),
  attendees: rowsIn(kind('attendee'), WireAttendee).nullish(),
});

export const OrdersPage = z.object({ pagination: Pagination, orders: rowsIn(kind('order'), WireOrder) });
export const AttendeesPage = z.object({ pagination: Pagination, attendees: rowsIn(kind('attendee'), WireAttendee) });

export const Me = z.object({
  id: z.string(),
  name: z.string(),
  emails: z.array(z.object({ email: z.string(), primary: z.boolean().default(false) })).default([]),
});

export const OrganizationsPage = z.object({
  pagination: Pagination,
  organizations: rowsIn(kind('organisation'), z.object({ id: z.string(), name: z.string() })),
});

export type Order = ReturnType<typeof ourOrder>;
export type Attendee = Order['attendees'][number];

/** States of orders that were never completed; the vendor's document has only one other, `placed`. */
const neverPlaced = new Set(['started', 'pending', 'abandoned']);

export type WireAttendee = z.infer<typeof WireAttendee>;

export const ourOrder = (order: z.infer<typeof WireOrder>, attendees = goodRows(order.attendees ?? [])) => ({
  id: order.id,
  changedAt: new Date(order.changed),
  /** True for a completed order, also after a refund; false for one that was only begun. */
  placed: !neverPlaced.has(order.status),
  event: { id: order.event_id, name: order.event?.name?.text ?? `Event ${order.event_id}` },
  attendees: attendees.map(ourAttendee),
});

function ourAttendee({ id, profile, answers, cancelled, refunded }: z.infer<typeof WireAttendee>) {
  const [first = '', ...rest] = (profile.name ?? '').trim().split(/\s+/);
  return {
    id,
    firstName: profile.first_name?.trim() || first,
    lastName: profile.last_name?.trim() || rest.join(' '),
    /** Lower case. */
    email: profile.email?.trim().toLowerCase() || null,
    /** E.164; null without a valid number. */
    phone: phoneOf(profile.cell_phone, answers),
    state: refunded ? ('refunded' as const) : cancelled ? ('cancelled' as const) : ('attending' as const),
  };
}

/** From the attendee's profile, else from the answer to a question about a phone number. Orders have none. */
function phoneOf(
  profilePhone: string | null | undefined,
  answers: readonly z.infer<typeof WireAnswer>[],
): string | null {
  const asked = answers.filter(({ question }) => /phone|mobile|whatsapp|contact n/i.test(question ?? ''));
  const given = [profilePhone, ...asked.map(({ answer }) => answer)];
  return given.map(text => (typeof text === 'string' ? toE164(text) : undefined)).find(Boolean) ?? null;
}
