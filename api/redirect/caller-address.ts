/** The address of who calls, seen through the proxies that are trusted: as Fastify's `request.ip`, without its request. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

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
