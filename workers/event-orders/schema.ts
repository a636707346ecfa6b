/** Tables: the lead of each guest and its tickets. Personal data of the guests is in the CRM only. */
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../core/postgres/schema.ts';

export const eventLeadTable = pgTable('event_lead', {
  /** The event and a digest that identifies the person; also the lead's external id in the CRM. */
  key: text('key').primaryKey(),
  leadId: integer('lead_id').notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

export const eventTicketTable = pgTable(
  'event_ticket',
  {
    /** The attendee's id in the events platform; one per ticket. */
    attendeeId: text('attendee_id').primaryKey(),
    leadKey: text('lead_key')
      .notNull()
      .references(() => eventLeadTable.key, { onDelete: 'cascade' }),
    state: text('state').$type<'attending' | 'refunded' | 'cancelled'>().notNull(),
    /** SHA-256 of the person's details last written to the lead. */
    detailsDigest: text('details_digest').notNull(),
    updatedAt: time('updated_at').notNull().defaultNow(),
  },
  table => [index('event_ticket_of_lead').on(table.leadKey)],
);
