/** A TCP proxy in front of PostgreSQL or Redis that a test can cut, hang and restore. */
import net from 'node:net';
import { Transform } from 'node:stream';

export interface TcpProxy {
  /** The server's URL with the proxy's address. */
  url: string;
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Closes all connections, and new ones at once. */
  reset(): void;
  /** Forwards each chunk from the server later by `ms`. */
  slow(ms: number): void;
  /** Accepts connections but forwards no data. */
  hang(): void;
  /** Forwards new connections again; closes hanging ones. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** @param port of the proxy; default: a free one */
export async function startTcpProxy(serverUrl: string, port = 0): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const open = new Set<net.Socket>();
  let hanging = false;
  let resetting = false;
  let delayMs = 0;

  const track = (socket: net.Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer(near => {
    track(near);
    if (hanging) return;
    if (resetting) return void near.destroy();
    const far = net.connect(Number(target.port), target.hostname);
    track(far);
    near
      .pipe(far)
      .pipe(delaying(() => delayMs))
      .pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const listen = (port: number): Promise<void> => new Promise(resolve => server.listen(port, '127.0.0.1', resolve));
  const destroyAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const cut = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      destroyAll();
    });

  await listen(port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no TCP port');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);

  return {
    url: url.href,
    cut,
    reset() {
      resetting = true;
      destroyAll();
    },
    slow(ms) {
      delayMs = ms;
    },
    hang() {
      hanging = true;
      for (const socket of open) socket.unpipe().pause();
    },
    async restore() {
      hanging = false;
      resetting = false;
      destroyAll();
      if (!server.listening) await listen(address.port);
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}

/** @param delayMs of the next chunk */
const delaying = (delayMs: () => number): Transform =>
  new Transform({
    transform(chunk, _encoding, done) {
      const ms = delayMs();
      if (ms === 0) done(null, chunk);
      else setTimeout(() => done(null, chunk), ms);
    },
  });
