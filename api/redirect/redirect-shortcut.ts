/**
 * Answers redirects from memory before Fastify sees the request: routing, hooks and promises would cost several times
 * the answer itself (`npm run bench -- redirects`). All other requests go to Fastify: `links.open` handles unknown,
 * expired and uncached links and HEAD.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';
import { slugKey } from '../../core/domain/links/slug.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { httpRequests } from '../../core/telemetry/meter.ts';
import type { ApiConfig } from '../config.ts';
import { type Redirects, redirectHeaders } from './redirects.ts';

export function createRedirectShortcut({
  redirects,
  config,
}: {
  redirects: Pick<Redirects, 'peek' | 'click'>;
  config: Pick<ServiceConfig & ApiConfig, 'BASE_PATH' | 'TRUST_PROXY'>;
}) {
  const addressOf = callerAddresses(config.TRUST_PROXY);
  const path = new RegExp(`^(?:${config.BASE_PATH})?/r/([A-Za-z0-9-]{3,64})(?:[?](.*))?$`);
  const fixedHeaders = Object.entries(redirectHeaders).flat();
  const counted = { operation: 'links.open', status: '302' };
  let closing = false;
  return {
    /** @returns false when Fastify must answer the request */
    answer(request: IncomingMessage, response: ServerResponse): boolean {
      if (request.method !== 'GET') return false;
      const [, slug, query] = path.exec(request.url ?? '') ?? [];
      if (slug === undefined) return false;
      const link = redirects.peek(slugKey(slug));
      if (!link) return false;
      const scanned = query !== undefined && new URLSearchParams(query).get('via') === 'qr';
      const caller = { address: addressOf(request), headers: request.headers };
      redirects.click(link.id, caller, scanned);
      // An open keep-alive connection would delay the shutdown.
      if (closing) response.setHeader('connection', 'close');
      response.writeHead(302, ['location', link.target, 'content-length', '0', ...fixedHeaders]).end();
      httpRequests.inc(counted);
      return true;
    },
    close() {
      closing = true;
    },
  };
}

/** Client address of a plain Node request, the same as Fastify's `request.ip`. @param proxies trusted addresses and CIDRs */
export function callerAddresses(proxies: readonly string[]): (request: IncomingMessage) => string {
  if (proxies.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isProxy = proxyAddr.compile([...proxies]);
  return request => proxyAddr.all(request, isProxy).findLast(ipaddr.isValid) ?? '';
}
