import { describe, expect, it } from 'vitest';
import { embeddedIPv4, isNeverAllowedByName, isPublic, parseAddress } from '../../../../core/egress/address.ts';

function parsed(text: string) {
  const address = parseAddress(text);
  if (!address) throw new Error(`${text} is no address`);
  return address;
}

describe('the public internet', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '223.255.255.254',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '2400:cb00::1',
  ])('contains %s', text => expect(isPublic(parsed(text))).toBe(true));

  it.each([
    ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']],
    ['link-local and cloud metadata', ['169.254.0.1', '169.254.169.254', 'fe80::1', '168.63.129.16']],
    ['carrier-grade NAT', ['100.64.0.1', '100.100.100.200', '100.127.255.255']],
    ['protocol assignments', ['192.0.0.192', '192.88.99.1', '192.52.193.1', '192.175.48.1', '192.31.196.1']],
    ['benchmarks', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1']],
    ['reserved', ['240.0.0.1', '254.0.0.1', '100::1', '5f00::1', '4000::1', '1000::1', '::2:0:0:1']],
    ['unique local and site-local', ['fc00::1', 'fd00:ec2::254', 'fec0::1']],
    ['IPv4-mapped', ['::ffff:127.0.0.1', '::ffff:169.254.169.254', '::ffff:8.8.8.8']],
    ['IPv4-compatible', ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8', '::a00:1', '::808:808']],
    ['translated', ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8']],
    ['NAT64', ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b::808:808', '64:ff9b:1::a00:1']],
    ['6to4', ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1']],
    ['Teredo', ['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001::1']],
    ['ISATAP', ['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:127.0.0.1']],
    ['ORCHID', ['2001:10::1', '2001:20::1', '2001:30::1']],
  ])('does not contain addresses that are %s', (_kind, texts) =>
    expect(texts.filter(text => isPublic(parsed(text)))).toEqual([]),
  );

  it('contains addresses that only look like ISATAP', () => {
    const texts = ['2606:4700::1:5efe:a00:1', '2606:4700::300:5efe:a00:1', '2606:4700::5eff:a00:1'];
    expect(texts.filter(text => isPublic(parsed(text)))).toEqual(texts);
  });
});

describe('an exception by name', () => {
  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fe80::1',
    '0.0.0.0',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '::a9fe:a9fe',
    '::ffff:0:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ])('never allows %s', text => expect(isNeverAllowedByName(parsed(text))).toBe(true));

  it('may allow private and loopback addresses', () =>
    expect(
      ['10.1.2.3', '127.0.0.1', 'fd12::1', '192.168.0.9'].filter(text => isNeverAllowedByName(parsed(text))),
    ).toEqual([]));
});

it('an address with a zone is not parsed', () => expect(parseAddress('fe80::1%eth0')).toBeUndefined());

describe('the IPv4 address in an IPv6 address', () => {
  it.each([
    ['::10.0.0.1', 'IPv4-compatible'],
    ['::a00:1', 'IPv4-compatible'],
    ['::ffff:10.0.0.1', 'IPv4-mapped'],
    ['::ffff:0:10.0.0.1', 'translated'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['2002:a00:1::1', '6to4'],
  ])('of %s is 10.0.0.1: %s', text => expect(embeddedIPv4(parsed(text))?.toString()).toBe('10.0.0.1'));

  it.each(['10.0.0.1', '2606:4700:4700::1111', '2606:4700::a00:1', 'fd00::1', '::1:0:0:1', '::1'])(
    'of %s does not exist',
    text => expect(embeddedIPv4(parsed(text))).toBeUndefined(),
  );
});
