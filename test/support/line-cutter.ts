/** Stands between the service and a server it talks to (PostgreSQL, Redis), to cut the line and mend it again. */
import net from 'node:net';

export interface LineCutter {
  /** The server's address, by way of this. */
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Connections are taken, but nothing passes any more: the server hangs. */
  hang(): void;
  /** All is well again; connections that hung are broken. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function startLineCutter(serverUrl: string): Promise<LineCutter> {
  const target = new URL(serverUrl);
  const open = new Set<net.Socket>();
  let hanging = false;

  const keep = (socket: net.Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = net.createServer(near => {
    keep(near);
    if (hanging) return;
    const far = net.connect(Number(target.port), target.hostname);
    keep(far);
    near.pipe(far).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  const listen = (port: number): Promise<void> =>
    new Promise(resolve => server.listen(port, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  const cut = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      breakAll();
    });

  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the line cutter has no port');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);

  return {
    url: url.href,
    cut,
    hang() {
      hanging = true;
      for (const socket of open) socket.unpipe().pause();
    },
    async mend() {
      hanging = false;
      breakAll();
      if (!server.listening) await listen(address.port);
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}
