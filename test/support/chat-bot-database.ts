/** Reads and changes the chat bot's simulated database directly. */
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { dropChatBotDatabase, seedChatBotDatabase } from '../../sandbox/chat-bot/database.ts';
import type { TestService } from './test-service.ts';

/** @param serviceUrl URL of the test service's own database, on the same server */
export async function queryChatBot(
  serviceUrl: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const url = new URL(serviceUrl);
  url.pathname += '_sandbox_chat_bot';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The chat bot's simulated database beside that of the service, for the tests of a file. */
export function useChatBotDatabase(service: TestService): void {
  beforeAll(() => seedChatBotDatabase(service.databaseUrl));
  afterAll(() => dropChatBotDatabase(service.databaseUrl));
}
