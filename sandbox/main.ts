/** The sandbox: every outside system, simulated over HTTP on one port. For development only. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Fastify, { type FastifyPluginAsync } from 'fastify';

const port = Number(process.env.SANDBOX_PORT || 9100);

const app = Fastify({ forceCloseConnections: true });

// Each system is a folder with a server.ts: its routes lie below the folder's name.
for (const system of await systems()) {
  const module: { default: FastifyPluginAsync } = await import(pathToFileURL(system.file).href);
  await app.register(module.default, { prefix: `/${system.name}` });
}
app.get('/', () => ({ sandbox: 'Portal Service', systems: app.printRoutes({ commonPrefix: false }) }));

await app.listen({ port, host: '127.0.0.1' });
process.send?.({ ready: `http://127.0.0.1:${port}` });

for (const event of ['SIGTERM', 'SIGINT', 'disconnect'] as const) {
  process.once(event, async () => {
    await app.close();
    process.exit(0);
  });
}

async function systems(): Promise<{ name: string; file: string }[]> {
  const folder = import.meta.dirname;
  const extension = path.extname(import.meta.filename);
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(entry => entry.isDirectory())
    .map(entry => ({ name: entry.name, file: path.join(folder, entry.name, `server${extension}`) }));
}
