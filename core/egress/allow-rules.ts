/** Exceptions to the guard: addresses that are not public, and ports other than 80 and 443. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { embeddedIPv4, type IpAddress, type IpRange, inRange, isNeverAllowedByName, isPublic } from './address.ts';

/** Any other port needs an exception with that port. */
const webPorts: ReadonlySet<number> = new Set([80, 443]);

/** A host name with a port, or a range of addresses with one port or both web ports. */
export type AllowRule =
  | { kind: 'host'; hostname: string; port: number }
  | { kind: 'range'; range: IpRange; ports: ReadonlySet<number> };

/**
 * Parses one exception: `photos.internal:8080`, `127.0.0.1:9100`, `[::1]:9100`, `10.0.0.0/8`, `fd00::/8:8080`.
 * @returns undefined for anything else
 */
export function parseAllowRule(entry: string): AllowRule | undefined {
  const range = /^(?<cidr>[^/]+\/\d+)(?::(?<port>\d+))?$/.exec(entry)?.groups;
  return range ? rangeRule(range.cidr ?? '', range.port) : hostRule(entry);
}

function rangeRule(cidr: string, portText: string | undefined): AllowRule | undefined {
  // ipaddr.js also accepts 10/8 and 012.0.0.0/8, which are ambiguous.
  if (isIP(cidr.slice(0, cidr.indexOf('/'))) === 0 || !ipaddr.isValidCIDR(cidr)) return undefined;
  const port = portText === undefined ? undefined : parsePort(portText);
  if (portText !== undefined && port === undefined) return undefined;
  return {
    kind: 'range',
    range: ipaddr.parseCIDR(cidr),
    ports: port === undefined ? webPorts : new Set([port]),
  };
}

function hostRule(entry: string): AllowRule | undefined {
  const parts = /^(?<host>\[[^\]]+\]|[^:/?#@*[\]\s]+):(?<port>\d+)$/.exec(entry)?.groups;
  const port = parsePort(parts?.port ?? '');
  if (!parts?.host || port === undefined || !URL.canParse(`http://${parts.host}/`)) return undefined;
  const hostname = new URL(`http://${parts.host}/`).hostname;
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) === 0) return { kind: 'host', hostname, port };
  const address = ipaddr.parse(literal);
  return { kind: 'range', range: [address, address.kind() === 'ipv4' ? 32 : 128], ports: new Set([port]) };
}

function parsePort(text: string): number | undefined {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined;
}

/** Whether a request may use this port; the connector checks the addresses. */
export function mayUsePort(hostname: string, port: number, rules: readonly AllowRule[]): boolean {
  if (webPorts.has(port)) return true;
  return rules.some(rule =>
    rule.kind === 'host' ? rule.hostname === hostname && rule.port === port : rule.ports.has(port),
  );
}

/** Whether a connection for `hostname` may use this address and port. */
export function mayConnect(hostname: string, address: IpAddress, port: number, rules: readonly AllowRule[]): boolean {
  if (isPublic(address) && webPorts.has(port)) return true;
  return rules.some(rule =>
    rule.kind === 'host'
      ? rule.hostname === hostname && rule.port === port && !isNeverAllowedByName(address)
      : rule.ports.has(port) && inRange(address, rule.range) && mayReachEmbedded(address, port, rules),
  );
}

/** A range that covers a NAT64 or 6to4 prefix must not allow the private IPv4 addresses inside it. */
function mayReachEmbedded(address: IpAddress, port: number, rules: readonly AllowRule[]): boolean {
  const embedded = embeddedIPv4(address);
  if (!embedded || isPublic(embedded)) return true;
  return rules.some(rule => rule.kind === 'range' && rule.ports.has(port) && inRange(embedded, rule.range));
}
