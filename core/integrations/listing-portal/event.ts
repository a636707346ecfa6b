/** The portal's enquiries and webhook events (Property Finder Enterprise API 1.0.1), and their conversion to our types. */
import { z } from 'zod';
import { toE164 } from '../../values/phone-number.ts';
import { rowsIn } from '../kit/read-rows.ts';
import { system } from './wire.ts';

/** Values in another form are no values: an enquiry without a listing is still an enquiry. */
const text = z
  .union([z.string(), z.number().transform(String)])
  .transform(value => value.trim() || null)
  .nullish()
  .catch(null)
  .transform(value => value ?? null);
const memberOf = (name: string) =>
  z
    .object({ [name]: text })
    .nullish()
    .catch(null)
    .transform(member => member?.[name] ?? null);

/** The CRM's limits of a phone number, and of the number of contacts. */
const Contact = z.object({ type: z.string(), value: z.string().trim().min(1).max(100) });
const maxContacts = 20;
const Sender = z.object({ name: text, contacts: z.array(Contact.nullable().catch(null)).nullish().catch(null) });

const WireEnquiry = z.object({
  channel: text,
  publicProfile: memberOf('id'),
  listing: memberOf('reference'),
  responseLink: text,
  sender: Sender.nullish().catch(null),
});

/** An enquiry, as an event or `/v1/leads` has it. */
export type PortalEnquiry = ReturnType<typeof ourEnquiry>;

function ourEnquiry(given: unknown) {
  const { channel, publicProfile, listing, responseLink, sender } = WireEnquiry.catch(noEnquiry).parse(given);
  const contacts = (sender?.contacts ?? []).slice(0, maxContacts);
  const valuesOf = (type: string) => contacts.flatMap(each => (each?.type === type ? each.value : []));
  return {
    channel,
    /** Id of the agent's public profile. */
    profileId: publicProfile,
    listingReference: listing,
    responseLink,
    name: sender?.name ?? null,
    phones: [...new Set(valuesOf('phone').map(phone => toE164(phone) ?? phone))],
    emails: [...new Set(valuesOf('email').map(email => email.toLowerCase()))],
  };
}
const noEnquiry = { channel: null, publicProfile: null, listing: null, responseLink: null };

const WireAction = z.object({
  actionType: z
    .string()
    .regex(/^[a-z_]{1,60}$/)
    .catch('other'),
  status: text,
  reason: text,
  expiresAt: z.iso.datetime({ offset: true }).nullish().catch(null),
  expireAction: text,
  listing: memberOf('reference'),
});

/** What the portal asks for, or has done, at a listing. */
export type ListingAction = ReturnType<typeof ourAction>;

function ourAction(given: unknown) {
  const { actionType, status, reason, expiresAt, expireAction, listing } = WireAction.parse(given);
  return {
    /** One of the portal's 22 types, such as `listing_trakheesi_invalid`. */
    action: actionType,
    /** `pending` and `dispute_created` need attention; a missed deadline, a rejected dispute: the portal acts. */
    state: status === 'expired' ? (stateByReason.get(reason ?? '') ?? 'resolved') : 'open',
    isDisputed: status === 'dispute_created',
    dueAt: expiresAt ?? null,
    /** Whether the portal takes the listing down when the time is over. */
    takesDown: expireAction === 'listing_unpublish',
    listingReference: listing,
  } as const;
}
const stateByReason = new Map<string, 'missed'>([
  ['ACTION_TIMEOUT', 'missed'],
  ['DISPUTE_REJECTED', 'missed'],
]);

/** The envelope of every event; further members are ignored. */
export const WireEvent = z
  .object({
    id: z.string().min(1).max(200).describe('Id of the event, the same for each delivery.'),
    type: z.string().min(1).max(100).describe('Such as `lead.created` or `listing.action`.'),
    timestamp: z.iso.datetime({ offset: true }).describe('When it happened.'),
    entity: z
      .object({
        id: z.union([z.string().min(1).max(200), z.number().transform(String)]).describe('Id at the portal.'),
        type: z.string().optional().describe('Such as `lead` or `listing`.'),
      })
      .meta({ additionalProperties: true })
      .describe('What the event is about.'),
    payload: z.record(z.string(), z.unknown()).nullish().describe('Depends on the type.'),
  })
  .meta({
    id: 'ListingPortalEvent',
    additionalProperties: true,
    examples: [
      {
        id: 'lead-created-12345678',
        type: 'lead.created',
        timestamp: '2026-01-31T08:00:00Z',
        entity: { id: '12345678', type: 'lead' },
        payload: { channel: 'whatsapp', listing: { reference: 'MP-10017' }, sender: { name: 'Sara Haddad' } },
      },
    ],
  });

const leadTypes = ['lead.created', 'lead.updated', 'lead.assigned'] as const;
const LeadType = z.enum(leadTypes);
export type LeadEventType = (typeof leadTypes)[number];

export type PortalEvent = { id: string; entityId: string; occurredAt: Date } & (
  | { type: LeadEventType; content: PortalEnquiry }
  | { type: 'listing.action'; content: ListingAction }
);

/** @returns undefined for the types that the service does not use */
export function ourEvent({
  id,
  type,
  timestamp,
  entity,
  payload,
}: z.output<typeof WireEvent>): PortalEvent | undefined {
  const event = { id, entityId: entity.id, occurredAt: new Date(timestamp) };
  if (type === 'listing.action') return { ...event, type, content: ourAction(payload ?? {}) };
  const { data } = LeadType.safeParse(type);
  return data && { ...event, type: data, content: ourEnquiry(payload ?? {}) };
}

export const LeadsAnswer = z.object({
  data: rowsIn(
    { system, record: 'enquiry', id: 'id' },
    z
      .looseObject({
        id: z.union([z.string().min(1), z.number().transform(String)]),
        createdAt: z.iso.datetime({ offset: true }),
      })
      .transform(row => ({ id: row.id, createdAt: new Date(row.createdAt), enquiry: ourEnquiry(row) })),
  ),
  pagination: z.object({ total: z.int().min(0), totalPages: z.int().min(0) }),
});

export const ProfilesAnswer = z.object({
  data: rowsIn(
    { system, record: 'agent', id: 'id' },
    z
      .object({ email: text, publicProfile: z.object({ id: text, email: text }).nullish().catch(null) })
      .transform(({ email, publicProfile }) => ({
        profileId: publicProfile?.id ?? null,
        email: publicProfile?.email ?? email,
      })),
  ),
  pagination: z.object({ totalPages: z.int().min(0) }),
});
