/** OAuth 2.0 clients, secrets and tokens, and sessions of operators; secrets, tokens and session ids are stored as SHA-256 only. */
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from '../postgres/schema.ts';

export const oauthClientTable = pgTable('oauth_client', {
  clientId: text('client_id').primaryKey(),
  name: text('name').notNull(),
  description: text('description').notNull().default(''),
  scopes: text('scopes').array().notNull(),
  isActive: boolean('is_active').notNull().default(true),
  tokenLifetimeSeconds: integer('token_lifetime_seconds').notNull().default(3_600),
  createdAt: time('created_at').notNull().defaultNow(),
  /** To the minute: its last authentication or use of a token. */
  lastUsedAt: time('last_used_at'),
});

/** A client has several active secrets during a rotation. */
export const oauthSecretTable = pgTable(
  'oauth_secret',
  {
    clientId: text('client_id')
      .notNull()
      .references(() => oauthClientTable.clientId, { onDelete: 'cascade' }),
    sha256: text('sha256').notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at'),
    lastUsedAt: time('last_used_at'),
  },
  table => [primaryKey({ columns: [table.clientId, table.sha256] })],
);

export const oauthTokenTable = pgTable(
  'oauth_token',
  {
    sha256: text('sha256').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => oauthClientTable.clientId, { onDelete: 'cascade' }),
    scopes: text('scopes').array().notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
  },
  table => [index('oauth_token_expiry').on(table.expiresAt), index('oauth_token_of_client').on(table.clientId)],
);

/** Sign-ins of operators by OpenID Connect. */
export const operatorSessionTable = pgTable(
  'operator_session',
  {
    sha256: text('sha256').primaryKey(),
    /** What the session plugin keeps: its cookie, the person and the role. */
    content: jsonb('content').$type<object>().notNull(),
    expiresAt: time('expires_at').notNull(),
  },
  table => [index('operator_session_expiry').on(table.expiresAt)],
);
