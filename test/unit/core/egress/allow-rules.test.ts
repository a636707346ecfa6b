import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../core/egress/address.ts';
import { mayConnect, mayUsePort } from '../../../../core/egress/allow-rules.ts';
import { EgressConfig } from '../../../../core/egress/config.ts';

const rulesOf = (text: string) => EgressConfig.parse({ EGRESS_ALLOW: text }).EGRESS_ALLOW;

function may(allow: string, hostname: string, addressText: string, port: number) {
  const address = parseAddress(addressText);
  if (!address) throw new Error(`${addressText} is no address`);
  return mayConnect(hostname, address, port, rulesOf(allow));
}

describe('EGRESS_ALLOW', () => {
  it.each([
    '127.0.0.1:9100',
    '[::1]:9100',
    'photos.internal:8080',
    'PHOTOS.Internal:8080',
    '10.0.0.0/8',
    '10.0.0.0/8:8080',
    'fd00::/8',
    'fd00::/8:8443',
    'photos.internal:65535',
    'photos.internal:1',
  ])('accepts %s', entry => expect(rulesOf(entry)).toHaveLength(1));

  it('is empty by default, and ignores spaces and a trailing comma', () => {
    expect(EgressConfig.parse({}).EGRESS_ALLOW).toEqual([]);
    expect(rulesOf(' 127.0.0.1:1 , a.example:2 ,')).toHaveLength(2);
  });

  it.each([
    'photos.internal',
    '127.0.0.1',
    'photos.internal:0',
    'photos.internal:65536',
    'photos.internal:http',
    'photos.internal:80x',
    'photos.internal:080808',
    'x 10.0.0.0/8',
    'http://10.0.0.0/8',
    '10.0.0.0/8:80x',
    '10.0.0.0/8:',
    '*:9100',
    'http://photos.internal:80',
    'user@photos.internal:80',
    '10.0.0.0/33',
    '10.0.0.0/8:0',
    '10/8',
    '::1:9100',
    '/8',
    'a b:80',
  ])('rejects %s with the number of the invalid entry', entry => {
    const parsed = EgressConfig.safeParse({ EGRESS_ALLOW: `127.0.0.1:1,${entry}` });
    expect(parsed.success ? 'accepted' : parsed.error.issues[0]?.message).toMatch(
      /^has an invalid entry 2: write host:port/,
    );
  });
});

describe('an exception', () => {
  it('allows the given port of a literal address and nothing else', () => {
    expect(may('127.0.0.1:9100', '127.0.0.1', '127.0.0.1', 9100)).toBe(true);
    expect(may('127.0.0.1:9100', '127.0.0.1', '127.0.0.1', 80)).toBe(false);
    expect(may('127.0.0.1:9100', '127.0.0.2', '127.0.0.2', 9100)).toBe(false);
    expect(may('127.0.0.1:9100', '::ffff:127.0.0.1', '::ffff:127.0.0.1', 9100)).toBe(false);
  });

  it('treats every spelling of a literal address as the same address', () =>
    expect(may('0x7f.1:9100', '127.0.0.1', '127.0.0.1', 9100)).toBe(true));

  it('for a name allows that name only, and never a cloud’s metadata', () => {
    expect(may('photos.internal:8080', 'photos.internal', '10.0.0.5', 8080)).toBe(true);
    expect(may('photos.internal:8080', 'other.internal', '10.0.0.5', 8080)).toBe(false);
    expect(may('photos.internal:8080', 'photos.internal', '169.254.169.254', 8080)).toBe(false);
  });

  it('for a range allows ports 80 and 443, or the given one', () => {
    expect(may('10.0.0.0/8', 'a.example', '10.9.9.9', 443)).toBe(true);
    expect(may('10.0.0.0/8', 'a.example', '10.9.9.9', 8080)).toBe(false);
    expect(may('10.0.0.0/8:8080', 'a.example', '10.9.9.9', 8080)).toBe(true);
    expect(may('10.0.0.0/8:8080', 'a.example', '10.9.9.9', 80)).toBe(false);
    expect(may('10.0.0.0/8', 'a.example', '11.0.0.1', 80)).toBe(true);
    expect(may('10.0.0.0/8', 'a.example', 'fd00::1', 80)).toBe(false);
  });

  it('for a NAT64 prefix allows public IPv4 addresses inside it, not private ones', () => {
    expect(may('64:ff9b::/96', 'a.example', '64:ff9b::808:808', 443)).toBe(true);
    expect(may('64:ff9b::/96', 'a.example', '64:ff9b::a9fe:a9fe', 80)).toBe(false);
    expect(may('64:ff9b::/96,10.0.0.0/8', 'a.example', '64:ff9b::a00:1', 80)).toBe(true);
  });

  it('for an IPv6 address allows that address only', () => {
    expect(may('[fd00::5]:9100', 'fd00::5', 'fd00::5', 9100)).toBe(true);
    expect(may('[fd00::5]:9100', 'fd00::6', 'fd00::6', 9100)).toBe(false);
  });

  it('for a name and port allows no other port of the name', () =>
    expect(may('photos.internal:8080', 'photos.internal', '10.0.0.5', 80)).toBe(false));

  it('for a NAT64 prefix allows a private IPv4 address only on a port that the address may have itself', () => {
    expect(may('64:ff9b::/96,10.0.0.0/8:8080', 'a.example', '64:ff9b::a00:1', 80)).toBe(false);
    expect(may('64:ff9b::/96,photos.internal:80', 'photos.internal', '64:ff9b::a00:1', 80)).toBe(true);
    expect(may('64:ff9b::/96,other.internal:80', 'a.example', '64:ff9b::a00:1', 80)).toBe(false);
  });

  it('for a 6to4 or IPv4-mapped prefix does not allow the private IPv4 addresses inside it', () => {
    expect(may('2002::/16', 'a.example', '2002:a00:1::1', 80)).toBe(false);
    expect(may('2002::/16', 'a.example', '2002:808:808::1', 80)).toBe(true);
    expect(may('2002::/16,10.0.0.0/8', 'a.example', '2002:a00:1::1', 80)).toBe(true);
    expect(may('::ffff:0:0/96', 'a.example', '::ffff:10.0.0.1', 80)).toBe(false);
    expect(may('::/96', 'a.example', '::10.0.0.1', 80)).toBe(false);
    expect(may('::/96', 'a.example', '::a00:1', 80)).toBe(false);
    expect(may('::/96,10.0.0.0/8', 'a.example', '::a00:1', 80)).toBe(true);
    expect(may('::ffff:0:0:0/96', 'a.example', '::ffff:0:10.0.0.1', 80)).toBe(false);
  });
});

describe('a port', () => {
  it.each([
    ['', 'a.example', 80, true],
    ['', 'a.example', 443, true],
    ['', 'a.example', 8080, false],
    ['a.example:8080', 'a.example', 8080, true],
    ['a.example:8080', 'a.example', 8081, false],
    ['a.example:8080', 'b.example', 8080, false],
    ['10.0.0.0/8:8080', 'a.example', 8080, true],
    ['10.0.0.0/8:8080', 'a.example', 8081, false],
    ['b.example:1,a.example:8080', 'a.example', 8080, true],
  ])('with the exceptions "%s", %s may use %i: %s', (allow, hostname, port, expected) =>
    expect(mayUsePort(hostname, port, rulesOf(allow))).toBe(expected),
  );
});
