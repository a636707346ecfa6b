/** The chat-bot database: a PostgreSQL of somebody else's. */
import { defineSystem } from '../kit/define-system.ts';
import { openChatBot } from './client.ts';
import { ChatBotConfig } from './config.ts';

const system = { name: 'chat-bot', title: 'The chat-bot database' };

export default defineSystem({
  ...system,
  config: ChatBotConfig,
  configuredBy: 'CHATBOT_DATABASE_URL',
  sandbox: (_, databaseUrl) =>
    databaseUrl === undefined ? {} : { CHATBOT_DATABASE_URL: sandboxDatabase(databaseUrl) },
  open: (config, tools) => openChatBot(config, system, tools),
  probe: chatBot => chatBot.noUser(),
});

/** The sandbox makes it beside our own database, under this name. */
function sandboxDatabase(ours: string): string {
  const url = new URL(ours);
  url.pathname += '_sandbox_chat_bot';
  return url.href;
}
