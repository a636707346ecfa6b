/** Names the client in requests, for the logs of the service. */
import { version } from './routes.ts';

/** Browsers send their own, and a header that a page sets would need a preflight request. */
const userAgent: string | undefined =
  typeof process === 'undefined' || !process.versions?.node
    ? undefined
    : `portal-service-client/${version} node/${process.versions.node}`;

export function withUserAgent(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  if (userAgent === undefined) return (input, init) => fetch(input, init);
  return (input, init) => {
    const request = new Request(input, init);
    if (!request.headers.has('user-agent')) request.headers.set('user-agent', userAgent);
    return fetch(request);
  };
}
