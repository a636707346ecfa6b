/** Copies of the property-project system's reference data, to be answered from while it is fresh or the system down. */
import { index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** A page of a collection as it was last read. */
export interface StoredPage {
  etag: string | null;
  items: unknown[];
}

export const projectReferenceTable = pgTable(
  'project_reference',
  {
    /** The address that it was read from, so that another system's data never passes for this one's. */
    source: text('source').primaryKey(),
    pages: jsonb('pages').$type<StoredPage[]>().notNull(),
    /** When the system last said that this is how it is. */
    checkedAt: timestamp('checked_at', { withTimezone: true, mode: 'date', precision: 3 }).notNull(),
  },
  table => [index('project_reference_age').on(table.checkedAt)],
);
