/** Secrets that the service makes for itself and that all its processes share. */
import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

export const serviceSecretTable = pgTable('service_secret', {
  /** What it is for. */
  name: text('name').primaryKey(),
  secret: text('secret').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true, mode: 'date', precision: 3 })
    .notNull()
    .defaultNow(),
});
