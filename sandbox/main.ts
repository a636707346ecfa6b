/** Entry point of the sandbox: simulates every vendor system over HTTP on one port. For development only. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildSandbox } from './build-sandbox.ts';
import { seedChatBotDatabase } from './chat-bot/database.ts';

const host = process.env.SANDBOX_HOST || '127.0.0.1';
const port = Number(process.env.SANDBOX_PORT || 9100);
/** `npm start` sets DATA_DIR. */
const stateFolder = process.env.DATA_DIR && path.join(process.env.DATA_DIR, 'sandbox');

if (process.argv.includes('--help')) {
  process.stdout.write(`npm run sandbox              simulates the outside systems, on SANDBOX_PORT
npm run sandbox -- --reset   puts the seed data back, in a running sandbox and in the stored state
`);
  process.exit(0);
}

if (process.argv.includes('--reset')) {
  await reset();
  process.exit(0);
}

// Exits at once, and with the process that started it.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(event, () => process.exit(0));

const app = await buildSandbox(stateFolder);
const url = await app.listen({ port, host }).catch((error: Error) => {
  process.stderr.write(
    `The sandbox cannot listen on SANDBOX_PORT ${process.env.SANDBOX_PORT || port}: ${error.message}\n`,
  );
  process.exit(1);
});
await seedChatBot(true);
if (process.send) process.send({ ready: url });
else process.stdout.write(`The sandbox listens at ${url}; control it at ${url}/control.\n`);

async function reset(): Promise<void> {
  const control = `http://${host}:${port}/control`;
  const running = await fetch(control).catch(() => undefined);
  if (running?.ok) {
    const { systems }: { systems: { name: string }[] } = await running.json();
    for (const { name } of systems) await fetch(`${control}/${name}`, { method: 'DELETE' });
  } else {
    rmSync(stateFolder ?? path.join('.data', 'sandbox'), { recursive: true, force: true });
  }
  await seedChatBot(false);
  process.stdout.write(`The sandbox has its seed data again${running?.ok ? ', without a restart' : ''}.\n`);
}

/** Creates the chat bot's database on the server of `DATABASE_URL`; does nothing without that variable. */
async function seedChatBot(keep: boolean): Promise<void> {
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
  const url = DATABASE_URL || (DATABASE_URL_FILE && readFileSync(DATABASE_URL_FILE, 'utf8').trim());
  if (!url) return;
  await seedChatBotDatabase(url, keep).catch((error: Error) => {
    process.stderr.write(`The sandbox could not create the chat-bot database: ${error.message}\n`);
  });
}
