/** An HTTP proxy in front of the sandbox that makes single vendor systems unreachable. */
import http from 'node:http';
import type { Socket } from 'node:net';
import { startLoopbackServer } from '../support/loopback-server.ts';

/** How a system that is down fails: the connection breaks, a proxy answers with 502, or nothing answers. */
export type FailureKind = 'reset' | 'bad-gateway' | 'no-answer';

export interface VendorProxy {
  port: number;
  /** Breaks the connections of calls in progress, which the system may still execute; further calls fail. */
  down(system: string): void;
  up(system: string): void;
  /** Number of calls that failed while the system was down. */
  failedCalls(system: string): number;
  close(): Promise<void>;
}

const badGateway = '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body>\r\n</html>\r\n';

/**
 * @param target URL of the sandbox; the first part of a path names the system
 * @param kinds the failures of successive calls, in turn
 */
export async function startVendorProxy(target: string, kinds: readonly FailureKind[]): Promise<VendorProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const systemsDown = new Set<string>();
  const failed = new Map<string, number>();
  /** Connections with a call in progress. */
  const busy = new Map<Socket, string>();

  const breakCalls = (system: string): void => {
    for (const [socket, called] of busy) if (called === system) socket.destroy();
  };

  function fail(system: string, socket: Socket, response: http.ServerResponse): void {
    const count = failed.get(system) ?? 0;
    failed.set(system, count + 1);
    const kind = kinds[count % kinds.length];
    if (kind === 'reset') socket.destroy();
    if (kind === 'bad-gateway') response.writeHead(502, { 'content-type': 'text/html' }).end(badGateway);
  }

  function forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { method, headers, url } = request;
    const forwarded = http.request(`${target}${url}`, { method, headers, agent }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.on('error', () => forwarded.destroy());
    request.pipe(forwarded);
  }

  const server = await startLoopbackServer((request, response) => {
    const { socket, url = '' } = request;
    const [, system = ''] = url.split('/');
    busy.set(socket, system);
    response.once('close', () => busy.delete(socket));
    if (systemsDown.has(system)) fail(system, socket, response);
    else forward(request, response);
  });

  return {
    port: server.port,
    down(system) {
      systemsDown.add(system);
      breakCalls(system);
    },
    up(system) {
      systemsDown.delete(system);
      breakCalls(system);
    },
    failedCalls: system => failed.get(system) ?? 0,
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}
