/** The chat bot's simulated database, looked into and tampered with past the service. */
import pg from 'pg';

/** @param ours the test service's own database, beside which it lies */
export async function askChatBot(
  ours: string,
  statement: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const url = new URL(ours);
  url.pathname += '_sandbox_chat_bot';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement, values)).rows;
  } finally {
    await client.end();
  }
}
