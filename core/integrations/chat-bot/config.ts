/** Addresses of the chat-bot database, and the names of its tables and columns. */
import { z } from 'zod';

const databaseAddress = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgres:// or postgresql:// address',
});

/** Optionally with a schema before a dot; the statements add the quotes. */
const tableName = (preset: string) =>
  z
    .string()
    .regex(/^[^.,"]+(\.[^.,"]+)?$/, 'must be the name of a table, such as bot.users')
    .default(preset);

/** The same number of names as the preset, in the same order. */
const columnNames = (...preset: readonly string[]) =>
  z
    .string()
    .default(preset.join())
    .transform(text => text.split(',').map(name => name.trim()))
    .refine(names => names.length === preset.length && names.every(Boolean), {
      error: `must be ${preset.length} names of columns, comma-separated`,
    });

export const ChatBotConfig = z.object({
  CHATBOT_DATABASE_URL: databaseAddress
    .optional()
    .describe('PostgreSQL of the chat bot, preferably with a read-only login; unset: not configured.'),
  CHATBOT_TERMINATE_DATABASE_URL: databaseAddress
    .optional()
    .describe('The same database with a login that may deactivate users; unset: CHATBOT_DATABASE_URL.'),
  CHATBOT_USERS_TABLE: tableName('users').describe('The chat bot’s table of users.'),
  CHATBOT_USER_COLUMNS: columnNames('id', 'crm_id', 'email', 'phone', 'name', 'active').describe(
    'Its columns for id, CRM id, e-mail, phone, name and whether the user is active, in this order.',
  ),
  CHATBOT_CONVERSATIONS_TABLE: tableName('conversations').describe('The chat bot’s table of conversations.'),
  CHATBOT_CONVERSATION_COLUMNS: columnNames(
    'user_id',
    'channel',
    'started_at',
    'last_message_at',
    'message_count',
  ).describe('Its columns for user id, channel, start, last message and number of messages, in this order.'),
});
export type ChatBotConfig = z.infer<typeof ChatBotConfig>;
