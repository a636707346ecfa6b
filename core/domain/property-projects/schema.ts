/** Table of the cached reference data of the property-project system. */
import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from '../../postgres/schema.ts';

export interface StoredPage {
  etag: string | null;
  items: unknown[];
}

export const projectReferenceTable = pgTable(
  'project_reference',
  {
    /** The URL it was read from, so that a change of PROPERTY_PROJECTS_URL does not return another system's data. */
    source: text('source').primaryKey(),
    pages: jsonb('pages').$type<StoredPage[]>().notNull(),
    /** When the system last confirmed the pages. */
    checkedAt: time('checked_at').notNull(),
  },
  table => [index('project_reference_age').on(table.checkedAt)],
);
