/** Builds the sandbox: each folder with a `server.ts` is a simulated system at `/<folder>`; `/control` controls all of them. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from 'fastify';
import { control } from './kit/control.ts';
import { type OpenedSystem, openSystem } from './kit/open-system.ts';
import type { SandboxSystem } from './kit/sandbox-system.ts';
import { keepState } from './kit/stored-state.ts';

/**
 * Returns a server that does not listen yet. Two sandboxes in one process share no state.
 * @param stateFolder keeps changes across restarts; without it they are lost
 */
export async function buildSandbox(stateFolder?: string): Promise<FastifyInstance> {
  const app = Fastify({
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500 },
    // Logs errors of the sandbox itself; simulated faults are not errors.
    logger: { level: 'error' },
  });
  const systems = new Map<string, OpenedSystem>();
  for (const { name, file } of await serverFiles()) {
    const { default: exported }: ServerModule = await import(pathToFileURL(file).href);
    if (typeof exported === 'function') {
      await app.register(exported, { prefix: `/${name}` });
      continue;
    }
    const system = openSystem(name, exported);
    systems.set(name, system);
    await app.register(system.routes, { prefix: `/${name}` });
  }
  if (stateFolder !== undefined) keepState(systems.values(), stateFolder);
  await app.register(control(systems), { prefix: '/control' });
  app.get('/', () => ({
    sandbox: 'Portal Service',
    systems: Object.fromEntries([...systems.values()].map(({ name, title }) => [`/${name}`, title])),
    control: '/control',
  }));
  return app;
}

/** A simulated system, or plain routes when there is no data and no faults (photos). */
interface ServerModule {
  default: SandboxSystem | FastifyPluginAsync;
}

async function serverFiles(): Promise<{ name: string; file: string }[]> {
  const folder = import.meta.dirname;
  const server = `server${path.extname(import.meta.filename)}`;
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter(entry => entry.isDirectory())
    .map(({ name }) => ({ name, file: path.join(folder, name, server) }))
    .filter(({ file }) => existsSync(file));
}
