/** Where the chat bot keeps its users and conversations, and what its tables and columns are called there. */
import { z } from 'zod';

const databaseAddress = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a postgres:// or postgresql:// address',
});

/** A table, with its schema before a dot if need be; quotes are ours to set. */
const tableName = (preset: string) =>
  z
    .string()
    .regex(/^[^.,"]+(\.[^.,"]+)?$/, 'must be the name of a table, such as bot.users')
    .default(preset);

/** As many names as the preset has, in its order. */
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
    .describe('PostgreSQL of the chat bot, best with a login that may only read; unset: not configured.'),
  CHATBOT_TERMINATE_DATABASE_URL: databaseAddress
    .optional()
    .describe(
      'The same database with a login that may mark users as inactive; unset: that of CHATBOT_DATABASE_URL.',
    ),
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
  ).describe(
    'Its columns for the user’s id, channel, beginning, last message and number of messages, in this order.',
  ),
});
export type ChatBotConfig = z.infer<typeof ChatBotConfig>;
