/** Classifies IP addresses. Only addresses that a registry assigns for public use are public. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;
export type IpRange = [IpAddress, number];

/** The only range that IANA assigns for global use; the rest of IPv6 is special or unassigned. */
const globalIPv6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Azure's platform address: reachable from every Azure machine, in a public range. */
const azurePlatform = ipaddr.IPv4.parse('168.63.129.16');

/** Metadata services of clouds, with their machines' credentials, and unspecified, multicast and reserved addresses. */
const neverAllowedByName: readonly IpRange[] = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '0.0.0.0/8',
  '::/128',
  '224.0.0.0/3',
  'ff00::/8',
].map(range => ipaddr.parseCIDR(range));

/**
 * Parses an address in the form that sockets print. The URL parser converts short, octal and other forms before.
 * @returns undefined for text that is not an address, and for addresses with a zone
 */
export function parseAddress(text: string): IpAddress | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.parse(text);
}

export function inRange(address: IpAddress, [start, bits]: IpRange): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}

/** Whether the address belongs to the public internet, which clients can reach themselves. */
export function isPublic(address: IpAddress): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return !address.match(azurePlatform, 32);
  return address.match(globalIPv6) && !isIsatap(address);
}

/** Addresses that an exception for a host name never allows: the owner of the name could point it at them. */
export function isNeverAllowedByName(address: IpAddress): boolean {
  const embedded = embeddedIPv4(address);
  return [address, ...(embedded ? [embedded] : [])].some(one => neverAllowedByName.some(range => inRange(one, range)));
}

/**
 * The IPv4 address that a router or the kernel extracts from an IPv6 address: IPv4-mapped and -compatible
 * (RFC 4291 §2.5.5), translated (RFC 6145), NAT64 under 64:ff9b::/96 (RFC 6052), 6to4 (RFC 3056).
 */
export function embeddedIPv4(address: IpAddress): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4) return undefined;
  const range = address.range();
  const bytes = address.toByteArray();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  const compatible = range === 'unicast' && bytes.slice(0, 12).every(byte => byte === 0);
  const translated = range === 'ipv4Mapped' || range === 'rfc6145' || range === 'rfc6052';
  return compatible || translated ? new ipaddr.IPv4(bytes.slice(12)) : undefined;
}

/** ISATAP (RFC 5214 §6.1) tunnels to the IPv4 address in the interface identifier, whatever the prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [high = 0, low] = address.parts.slice(4, 6);
  return (high & ~0x0200) === 0 && low === 0x5efe;
}
