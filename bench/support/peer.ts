/** Runs a peer (`bench/peers/<name>.mjs`) in separate processes. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { FoundBrowser } from '../../workers/pdf/print/find-browser.ts';
import { itemsPerSecond } from './measure.ts';

const folder = path.join(import.meta.dirname, '..', 'peers');

const PeerMessage = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ bytes: z.int() }),
  z.object({ error: z.string() }),
]);

export interface Peer {
  name: string;
  /** @returns documents per second */
  print(documents: readonly unknown[]): Promise<number>;
  close(): Promise<void>;
}

/** Installs the peers by their own lockfile, unless they are installed. */
export function installPeers(): void {
  if (existsSync(path.join(folder, 'node_modules'))) return;
  // `npm run` passes on the engine-strict of this repository, and a peer may name a newer Node.js than it needs.
  execFileSync('npm', ['ci', '--engine-strict=false'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/**
 * @param options.processes number of processes
 * @param options.concurrency concurrent documents in each process
 */
export async function openPeer(
  name: string,
  browser: FoundBrowser,
  options: { processes: number; concurrency: number },
): Promise<Peer> {
  const script = path.join(folder, `${name}.mjs`);
  const env = {
    ...process.env,
    PEER_BROWSER: browser.path,
    PEER_CONCURRENCY: String(options.concurrency),
    ...browser.env,
  };
  const children = Array.from({ length: options.processes }, () => fork(script, { env, execArgv: [] }));
  for (const child of children) await untilReady(child);
  return {
    name,
    print: documents =>
      itemsPerSecond(documents, options.processes * options.concurrency, async (document, slot) => {
        const child = children[slot % options.processes];
        if (!child) throw new Error(`there is no process for slot ${slot}`);
        await printIn(child, document);
      }),
    async close() {
      await Promise.all(
        children.map(async child => {
          const ended = once(child, 'exit');
          child.send({ close: true });
          await ended;
        }),
      );
    },
  };
}

let lastId = 0;

async function printIn(child: ChildProcess, document: unknown): Promise<void> {
  const id = ++lastId;
  const response = new Promise<z.infer<typeof PeerMessage>>(resolve => {
    const listen = (message: unknown) => {
      if (z.object({ id: z.int() }).parse(message).id !== id) return;
      child.off('message', listen);
      resolve(PeerMessage.parse(message));
    };
    child.on('message', listen);
  });
  child.send({ id, document });
  const message = await response;
  if ('error' in message) throw new Error(message.error);
}

/** @throws Error when the process exits before it is ready; it prints the reason itself */
async function untilReady(child: ChildProcess): Promise<void> {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!PeerMessage.safeParse(message).success) throw new Error(`${child.spawnargs.at(-1)} did not start`);
}
