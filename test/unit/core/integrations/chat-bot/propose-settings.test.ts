/** The tables and columns that are proposed for a chat-bot database, by their names and types. */
import { describe, expect, it } from 'vitest';
import { proposeTables } from '../../../../../core/integrations/chat-bot/propose-settings.ts';

const table = (name: string, columns: Readonly<Record<string, string>>) =>
  Object.entries(columns).map(([column, type]) => ({ table: name, column, type }));
const settings = (lines: readonly string[]) => lines.filter(line => line.includes('CHATBOT_'));

describe('the proposal', () => {
  it('names the tables and columns whose names and types fit, each column once', () => {
    const lines = proposeTables([
      ...table('bot.contacts', {
        contact_id: 'uuid',
        full_name: 'text',
        mobile: 'text',
        mail: 'text',
        bitrix_id: 'integer',
        is_active: 'boolean',
        active_since: 'date',
      }),
      ...table('bot.sessions', {
        id: 'bigint',
        contact_id: 'uuid',
        platform: 'text',
        created_at: 'timestamp with time zone',
        updated_at: 'timestamp with time zone',
        messages: 'integer',
      }),
    ]);
    expect(lines[1]).toBe(
      '#   bot.contacts: contact_id (uuid), full_name (text), mobile (text), mail (text), bitrix_id (integer), is_active (boolean), active_since (date)',
    );
    expect(settings(lines)).toEqual([
      'CHATBOT_USERS_TABLE=bot.contacts',
      'CHATBOT_USER_COLUMNS=contact_id,bitrix_id,mail,mobile,full_name,is_active',
      'CHATBOT_CONVERSATIONS_TABLE=bot.sessions',
      'CHATBOT_CONVERSATION_COLUMNS=contact_id,platform,created_at,updated_at,messages',
    ]);
  });

  it('prefers the table with more fitting columns, and leaves a setting without a fitting column as a comment', () => {
    const lines = proposeTables([
      ...table('user_settings', { user_id: 'bigint' }),
      ...table('users', { id: 'bigint', email: 'text', phone: 'text', name: 'text', active: 'text' }),
    ]);
    expect(settings(lines)).toEqual([
      'CHATBOT_USERS_TABLE=users',
      '# CHATBOT_USER_COLUMNS=id,?,email,phone,name,?    (no column has a fitting name and type for ?)',
      '# CHATBOT_CONVERSATIONS_TABLE=    (none has a fitting name and type)',
      '# CHATBOT_CONVERSATION_COLUMNS=    (none has a fitting name and type)',
    ]);
  });
});
