/** Events and enquiries of the listing portal. */
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import type { ListingAction, PortalEnquiry, PortalEvent } from '../../integrations/listing-portal/event.ts';
import { time } from '../../postgres/schema.ts';

export const portalEventTable = pgTable(
  'portal_event',
  {
    /** The portal's id of the event, or `read:` and the id of an enquiry that no webhook brought. */
    id: text('id').primaryKey(),
    type: text('type').$type<PortalEvent['type'] | 'lead.read'>().notNull(),
    /** The portal's id of the enquiry or listing. */
    entityId: text('entity_id').notNull(),
    occurredAt: time('occurred_at').notNull(),
    receivedAt: time('received_at').notNull().defaultNow(),
    /** Null once the enquiry is in the CRM: it is personal data. */
    content: jsonb('content').$type<PortalEnquiry | ListingAction>(),
    /** The CRM lead with the enquiry. */
    leadId: integer('lead_id'),
    /** The CRM user to whom the service assigned the lead; null if the person had a lead already. */
    userId: integer('user_id'),
    handledAt: time('handled_at'),
  },
  table => [
    index('portal_event_of_entity').on(table.entityId, table.occurredAt),
    index('portal_event_action').on(table.entityId).where(sql`${table.type} = 'listing.action'`),
    index('portal_event_age').on(table.receivedAt),
  ],
);
