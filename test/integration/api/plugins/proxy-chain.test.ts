/** `TRUST_PROXY` with a chain of proxies that each append to `X-Forwarded-For`, on addresses of their own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogin } from '../../../support/oauth-client.ts';
import { useService } from '../../../support/test-service.ts';

/** Linux has all of 127.0.0.0/8 on loopback. */
const [edgeAddress, ingressAddress] = ['127.0.0.2', '127.0.0.3'];
const maxFailures = 10;

/** Forwards to `target` from its own address, and appends the address of its client, as nginx and cloud balancers do. */
async function startProxy(address: string, target: () => string): Promise<Server> {
  const server = createServer((incoming: IncomingMessage, response: ServerResponse) => {
    const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress].filter(Boolean).join(', ');
    const onward = request(target() + incoming.url, {
      method: incoming.method,
      localAddress: address,
      headers: { ...incoming.headers, 'x-forwarded-for': forwarded },
    });
    onward.once('response', answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.listen(0, address);
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return `http://${address.address}:${address.port}`;
}

/** Status of a wrong login. @param from the client's address */
async function failLogin(clientId: string, at: string, from: string, forged?: string): Promise<number> {
  const sent = request(`${at}/v2/oauth/token`, {
    method: 'POST',
    localAddress: from,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(forged !== undefined && { 'x-forwarded-for': forged }),
    },
  });
  sent.end(`grant_type=client_credentials&client_id=${clientId}&client_secret=wrong`);
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

async function failuresUntilLimit(fail: (round: number) => Promise<number>): Promise<number> {
  for (let round = 0; round <= maxFailures; round += 1) if ((await fail(round)) === 429) return round;
  return Number.POSITIVE_INFINITY;
}

/** The service behind an edge proxy, which forwards to an ingress proxy, for the tests of a `describe` block. */
function useProxyChain(name: string, trusted: string) {
  const service = useService(name, () => ({ env: { TRUST_PROXY: trusted } }));
  let edge: Server;
  let ingress: Server;
  beforeAll(async () => {
    ingress = await startProxy(ingressAddress, () => service.origin);
    edge = await startProxy(edgeAddress, () => urlOf(ingress));
  });
  afterAll(() => {
    for (const server of [edge, ingress]) server?.close();
  });
  return { service, edgeUrl: () => urlOf(edge), ingressUrl: () => urlOf(ingress) };
}

describe.runIf(process.platform === 'linux')('behind two trusted proxies', () => {
  const { service, edgeUrl, ingressUrl } = useProxyChain('proxy-chain', `${edgeAddress},${ingressAddress}/32`);

  it('counts by the address that the edge saw, whatever the client claims', async () => {
    const { clientId } = await createLogin(service);
    const claims = (round: number) =>
      [`192.0.2.${round}`, `192.0.2.${round}, ${edgeAddress}`, '127.0.0.9', ''][round % 4];
    expect(await failuresUntilLimit(round => failLogin(clientId, edgeUrl(), '127.0.0.9', claims(round)))).toBe(
      maxFailures,
    );
    // Another client behind the same proxies has a limit of its own.
    expect(await failLogin(clientId, edgeUrl(), '127.0.0.10')).toBe(401);
  });

  it('counts by the address of a client that reaches the inner proxy or the API itself', async () => {
    for (const [at, from] of [
      [ingressUrl(), '127.0.0.11'],
      [service.origin, '127.0.0.12'],
    ] as const) {
      const { clientId } = await createLogin(service);
      // The edge's address in a claim gains no trust: the address before it is not that of a trusted proxy.
      const fail = (round: number) => failLogin(clientId, at, from, `192.0.2.${round}, ${edgeAddress}`);
      expect(await failuresUntilLimit(fail), at).toBe(maxFailures);
    }
  });
});

describe.runIf(process.platform === 'linux')('behind two proxies of which only the inner one is trusted', () => {
  const { service, edgeUrl } = useProxyChain('proxy-half', ingressAddress);

  it('counts all clients as the outer proxy', async () => {
    const { clientId } = await createLogin(service);
    const fail = (round: number) => failLogin(clientId, edgeUrl(), `127.0.0.${20 + round}`, `192.0.2.${round}`);
    expect(await failuresUntilLimit(fail)).toBe(maxFailures);
  });
});
