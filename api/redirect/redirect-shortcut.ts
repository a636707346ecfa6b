/**
 * Redirects that need nothing but memory are answered before Fastify makes a request of them: routing, hooks and
 * promises would cost several times what the answer does (`npm run bench -- redirects`). Every other request, and every
 * redirect that is not as plain (unknown, expired, not yet in memory, HEAD), goes on to the operation `links.open`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { slugKey } from '../../core/domain/links/slug.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { countPlainRedirect } from '../../core/telemetry/meter.ts';
import type { ApiConfig } from '../config.ts';
import { type Redirects, redirectHeaders } from './redirects.ts';

const standingHeaders = Object.entries(redirectHeaders).flat();

interface LaneParts {
  redirects: Pick<Redirects, 'peek' | 'click'>;
  config: Pick<ServiceConfig & ApiConfig, 'BASE_PATH' | 'TRUST_PROXY'>;
}

export function openFastLane(app: FastifyInstance, { redirects, config }: LaneParts): void {
  const addressOf = callerAddresses(config.TRUST_PROXY);
  const path = new RegExp(`^(?:${config.BASE_PATH})?/r/([A-Za-z0-9-]{3,64})(?:[?](.*))?$`);
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });

  const answer = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false;
    const [, slug, query] = path.exec(request.url ?? '') ?? [];
    if (slug === undefined) return false;
    const link = redirects.peek(slugKey(slug));
    if (!link) return false;
    const scanned = query !== undefined && new URLSearchParams(query).get('via') === 'qr';
    const caller = { address: addressOf(request), headers: request.headers };
    void redirects.click(link.id, caller, scanned).then(() => {
      // A connection that is kept alive would hold up the end of the process.
      if (closing) response.setHeader('connection', 'close');
      response.writeHead(302, ['location', link.target, 'content-length', '0', ...standingHeaders]).end();
      countPlainRedirect();
    });
    return true;
  };

  const listeners = app.server.listeners('request');
  app.server.removeAllListeners('request');
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (answer(request, response)) return;
    for (const listener of listeners) listener.call(app.server, request, response);
  });
}

/** @param proxies addresses and CIDRs whose `X-Forwarded-For` is believed */
export function callerAddresses(proxies: readonly string[]): (request: IncomingMessage) => string {
  const ranges = proxies.map(text =>
    text.includes('/')
      ? ipaddr.parseCIDR(text)
      : ipaddr.parseCIDR(`${text}/${text.includes(':') ? 128 : 32}`),
  );
  const known = new LRUCache<string, boolean>({ max: 1_000 });
  const isProxy = (address: string): boolean => {
    const answer = known.get(address) ?? isWithin(address, ranges);
    known.set(address, answer);
    return answer;
  };
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? '';
    const forwarded = headers['x-forwarded-for'];
    if (ranges.length === 0 || forwarded === undefined) return address;
    // Each proxy has added whom it was called by at the end.
    for (const hop of String(forwarded).split(',').reverse()) {
      if (!isProxy(address)) return address;
      const next = hop.trim();
      if (!ipaddr.isValid(next)) return address;
      address = next;
    }
    return address;
  };
}

function isWithin(address: string, ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}
