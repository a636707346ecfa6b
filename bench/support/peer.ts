/** A peer in processes of its own (`bench/peers/<name>.mjs`), installed when first wanted. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { FoundBrowser } from '../../workers/pdf/print/find-browser.ts';
import { perSecond } from './in-turns.ts';

const folder = path.join(import.meta.dirname, '..', 'peers');

const Said = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ bytes: z.int() }),
  z.object({ error: z.string() }),
]);

export interface Peer {
  name: string;
  /** @returns documents a second */
  print(documents: readonly unknown[]): Promise<number>;
  close(): Promise<void>;
}

/** By the peers' own lockfile. */
export function installPeers(): void {
  if (existsSync(path.join(folder, 'node_modules'))) return;
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
}

/**
 * @param options.processes how many of it make documents at once
 * @param options.atOnce how many documents each of them is given at once
 */
export async function openPeer(
  name: string,
  browser: FoundBrowser,
  options: { processes: number; atOnce: number },
): Promise<Peer> {
  const script = path.join(folder, `${name}.mjs`);
  const env = {
    ...process.env,
    PEER_BROWSER: browser.path,
    PEER_AT_ONCE: String(options.atOnce),
    ...browser.env,
  };
  const children = Array.from({ length: options.processes }, () => fork(script, { env, execArgv: [] }));
  for (const child of children) await untilReady(child);
  return {
    name,
    print: documents =>
      perSecond(documents, options.processes * options.atOnce, async (document, lane) => {
        const child = children[lane % options.processes];
        if (!child) throw new Error('no process');
        await make(child, document);
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

let documents = 0;

async function make(child: ChildProcess, document: unknown): Promise<void> {
  const id = ++documents;
  const answer = new Promise<z.infer<typeof Said>>(resolve => {
    const listen = (message: unknown) => {
      if (z.object({ id: z.int() }).parse(message).id !== id) return;
      child.off('message', listen);
      resolve(Said.parse(message));
    };
    child.on('message', listen);
  });
  child.send({ id, document });
  const said = await answer;
  if ('error' in said) throw new Error(said.error);
}

/** @throws Error when it ends before it is ready; why, it has printed itself */
async function untilReady(child: ChildProcess): Promise<void> {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!Said.safeParse(message).success) throw new Error(`${child.spawnargs.at(-1)} did not start`);
}
