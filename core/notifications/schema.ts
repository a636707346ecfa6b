/** Outbox of notifications: a row for each channel, written in the transaction of what it reports. */
import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';
import type { Channel, Notification } from './notification.ts';

export const notificationTable = pgTable(
  'notification',
  {
    id: uuid('id').primaryKey(),
    channel: text('channel').$type<Channel>().notNull(),
    topic: text('topic').notNull(),
    content: jsonb('content').$type<Omit<Notification, 'topic'>>().notNull(),
    /** Notifications of the topic that this row stands for; the content is that of the last one. */
    count: integer('count').notNull().default(1),
    state: text('state').$type<'pending' | 'delivered' | 'failed'>().notNull().default('pending'),
    tries: integer('tries').notNull().default(0),
    /** During a try: the end of the lease. */
    nextTryAt: time('next_try_at').notNull(),
    lastError: text('last_error'),
    deliveredAt: time('delivered_at'),
    createdAt: time('created_at').notNull().defaultNow(),
  },
  table => [
    check('notification_state', sql`${table.state} in ('pending', 'delivered', 'failed')`),
    uniqueIndex('notification_unsent')
      .on(table.channel, table.topic)
      .where(sql`${table.state} = 'pending' and ${table.tries} = 0`),
    index('notification_of_topic').on(table.channel, table.topic, table.nextTryAt),
    index('notification_due').on(table.channel, table.nextTryAt).where(sql`${table.state} = 'pending'`),
  ],
);
