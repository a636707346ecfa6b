/** Entry point of the sandbox: simulates every vendor system over HTTP on one port. For development only. */
import { readFileSync } from 'node:fs';
import { buildSandbox } from './build-sandbox.ts';
import { seedChatBotDatabase } from './chat-bot/database.ts';

// The sandbox stores nothing, so it exits at once, and with the process that started it.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => process.exit(0));

const port = Number(process.env.SANDBOX_PORT || 9100);
const app = await buildSandbox();
const url = await app.listen({ port, host: process.env.SANDBOX_HOST || '127.0.0.1' }).catch((error: Error) => {
  process.stderr.write(
    `The sandbox cannot listen on SANDBOX_PORT ${process.env.SANDBOX_PORT || port}: ${error.message}\n`,
  );
  process.exit(1);
});
await seedChatBot();
if (process.send) process.send({ ready: url });
else process.stdout.write(`The sandbox listens at ${url}; control it at ${url}/control.\n`);

/** Creates the chat bot's database on the server of `DATABASE_URL`; does nothing without that variable. */
async function seedChatBot(): Promise<void> {
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  const url = DATABASE_URL || (DATABASE_URL_FILE && readFileSync(DATABASE_URL_FILE, 'utf8').trim());
  if (!url) return;
  await seedChatBotDatabase(url).catch((error: Error) => {
    process.stderr.write(`The sandbox could not create the chat-bot database: ${error.message}\n`);
  });
}
