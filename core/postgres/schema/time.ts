/** The one way times are kept. */
import { timestamp } from 'drizzle-orm/pg-core';

/** Milliseconds, as JavaScript keeps them: a time read and sent back still compares equal. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 });
