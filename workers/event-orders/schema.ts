/** Which lead stands for which tickets of an event; the guests themselves are in the CRM only. */
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../core/postgres/schema.ts';

export const eventLeadTable = pgTable('event_lead', {
  /** The event and the digest of what tells the person apart; also the lead's external id in the CRM. */
  key: text('key').primaryKey(),
  leadId: integer('lead_id').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

export const eventTicketTable = pgTable(
  'event_ticket',
  {
    /** The events platform's id of the attendee, who is one a ticket. */
    attendeeId: text('attendee_id').primaryKey(),
    leadKey: text('lead_key')
      .notNull()
      .references(() => eventLeadTable.key, { onDelete: 'cascade' }),
    state: text('state').$type<'attending' | 'refunded' | 'cancelled'>().notNull(),
    /** SHA-256 of the person's details as the lead was given them. */
    detailsDigest: text('details_digest').notNull(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  table => [index('event_ticket_of_lead').on(table.leadKey)],
);
