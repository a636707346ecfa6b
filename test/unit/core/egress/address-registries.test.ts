/** Compares the classification of addresses with an independent reference: `node:net`'s BlockList with IANA's registries. */
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublic, parseAddress } from '../../../../core/egress/address.ts';

/** IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771), class E (RFC 1112). */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** IANA IPv6 Special-Purpose Address Registry within 2000::/3; nothing outside is global unicast. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/** Internal without an entry in a registry: Azure's platform address. */
const platform4 = '168.63.129.16';

const reference = new BlockList();
for (const range of special4) addRange(range, 'ipv4');
for (const range of special6) addRange(range, 'ipv6');
reference.addAddress(platform4, 'ipv4');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

function addRange(range: string, family: 'ipv4' | 'ipv6'): void {
  const [start = '', bits] = range.split('/');
  reference.addSubnet(start, Number(bits), family);
}

function isPublicHere(text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return isPublic(address);
}

const asIPv4 = (value: number): string => [24, 16, 8, 0].map(shift => (value >>> shift) & 0xff).join('.');
const asIPv6 = (parts: readonly number[]): string => parts.map(part => part.toString(16)).join(':');

/** Any address; half of them near the edge of a range, where errors are likely. */
const ipv4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc
    .record({ range: fc.constantFrom(...special4), end: fc.boolean(), step: fc.integer({ min: -2, max: 2 }) })
    .map(({ range, end, step }) => edgeOf(range, end) + step)
    .filter(value => value >= 0 && value <= 0xffff_ffff),
);

function edgeOf(range: string, end: boolean): number {
  const [start = '', bits] = range.split('/');
  const first = start.split('.').reduce((value, part) => value * 256 + Number(part), 0);
  return end ? first + 2 ** (32 - Number(bits)) - 1 : first;
}

const part = fc.integer({ min: 0, max: 0xffff });
const ipv6 = fc
  .record({
    prefix: fc.constantFrom(
      [],
      [0x2000],
      [0x2001],
      [0x2001, 0x1ff],
      [0x2001, 0x200],
      [0x2001, 0xdb8],
      [0x2001, 0xdb9],
      [0x2002],
      [0x2003],
      [0x2620, 0x4f, 0x8000],
      [0x2620, 0x4f, 0x8001],
      [0x3fff, 0xfff],
      [0x3fff, 0x1000],
      [0x3ffe],
      [0x64, 0xff9b],
      [0xfc00],
      [0xfdff],
      [0xfe80],
      [0xff02],
      [0, 0, 0, 0, 0, 0xffff],
      [0x4000],
      [0x1fff],
    ),
    rest: fc.array(part, { minLength: 8, maxLength: 8 }),
  })
  .map(({ prefix, rest }) => [...prefix, ...rest].slice(0, 8));

describe('an address is public unless a registry lists it', () => {
  it('in IPv4', () =>
    fc.assert(
      fc.property(ipv4, value => {
        const text = asIPv4(value);
        expect(isPublicHere(text), text).toBe(!reference.check(text, 'ipv4'));
      }),
      { numRuns: 5_000 },
    ));

  it('in IPv6, except ISATAP addresses, which tunnel to an IPv4 address in any range', () =>
    fc.assert(
      fc.property(ipv6, parts => {
        const text = asIPv6(parts);
        const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
        const isGlobal = global6.check(text, 'ipv6') && !reference.check(text, 'ipv6') && !isIsatap;
        expect(isPublicHere(text), text).toBe(isGlobal);
      }),
      { numRuns: 5_000 },
    ));

  it('and never when it contains a private IPv4 address in a form that routers extract', () =>
    fc.assert(
      fc.property(ipv4, value => {
        const [high, low] = [(value >>> 16).toString(16), (value & 0xffff).toString(16)];
        for (const form of [`::ffff:${high}:${low}`, `::${high}:${low}`, `::ffff:0:${high}:${low}`])
          expect(isPublicHere(form), form).toBe(false);
        for (const form of [`64:ff9b::${high}:${low}`, `64:ff9b:1::${high}:${low}`, `2002:${high}:${low}::1`])
          expect(isPublicHere(form), form).toBe(false);
      }),
      { numRuns: 5_000 },
    ));
});
