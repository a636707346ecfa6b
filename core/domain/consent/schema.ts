/** Contacts that want no marketing. */
import { pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

export const suppressionTable = pgTable('suppression', {
  /** Keyed hash of the phone number or e-mail address, which is not stored. */
  contact: text('contact').primaryKey(),
  source: text('source').$type<SuppressionSource>().notNull(),
  createdAt: time('created_at').notNull().defaultNow(),
});

/** By whom: an API client, the person's opt-out link, the person's reply to an SMS. */
export type SuppressionSource = 'client' | 'opt-out-link' | 'reply';
