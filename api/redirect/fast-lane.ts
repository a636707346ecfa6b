/**
 * Redirects that need nothing but memory are answered before Fastify makes a request of them: routing, hooks and
 * promises would cost several times what the answer does (`npm run bench -- redirects`). Every other request, and every
 * redirect that is not as plain (unknown, expired, not yet in memory, HEAD), goes on to the operation `links.open`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { slugKey } from '../../core/domain/links/slug.ts';
import type { ServiceConfig } from '../../core/runtime/service-config.ts';
import { countPlainRedirect } from '../../core/telemetry/meter.ts';
import type { ApiConfig } from '../config.ts';
import { callerAddresses } from './caller-address.ts';
import { redirectHeaders } from './redirect-headers.ts';
import type { Redirects } from './redirects.ts';

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
