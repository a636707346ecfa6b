import { afterAll, describe, expect, it } from 'vitest';
import type { EgressReason } from '../../../../core/egress/egress-error.ts';
import { createGuardedFetch } from '../../../../core/egress/guarded-fetch.ts';

/** DNS answers of this test; other names are unknown. */
const names: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'a.localhost': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  'rebound.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '10.0.0.1'],
  'mixed6.example': ['2606:4700:4700::1111', '::1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  'zone.example': ['fe80::1%eth0'],
  'nonsense.example': ['not an address'],
  'empty.example': [],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'xn--lcalhost-iia.example': ['10.0.0.1'],
};

const guarded = createGuardedFetch({
  resolve: async hostname => {
    const found = names[hostname];
    if (!found) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
    return found;
  },
});
afterAll(() => guarded.close());

const hostile: Partial<Record<EgressReason, string[]>> = {
  url: [
    '',
    'not a url',
    '//photos.example/1.jpg',
    'http://',
    'http://[::1',
    'http://a b/',
    'http://1.2.3.4.5.6:x/',
    'http://256.256.256.256/',
    'http://0x100000000/',
    'http://[fe80::1%25eth0]/',
    'http://%00/',
  ],
  scheme: [
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'ftp://a.example/',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'blob:http://a.example/1',
    'ws://127.0.0.1/',
    'jar:http://127.0.0.1!/',
    'dict://127.0.0.1:11211/',
    'view-source:http://127.0.0.1/',
    'unix:/var/run/docker.sock',
  ],
  credentials: [
    'http://user@a.example/',
    'http://user:pass@a.example/',
    'http://:pass@a.example/',
    'http://a.example@127.0.0.1/',
    'http://a.example%40x@127.0.0.1/',
  ],
  port: [
    'http://a.example:22/',
    'http://a.example:8080/',
    'http://127.0.0.1:6379/',
    'http://a.example:0/',
    'https://a.example:9200/',
    'http://[::1]:5432/',
  ],
  address: [
    'http://127.0.0.1/',
    'HTTP://127.0.0.1/',
    'hTTps://127.0.0.1/',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1\\',
    'http:////127.0.0.1/',
    ' http://127.0.0.1/ ',
    'ht\ntp://127.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0x7f.1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://0.0.0.0/',
    'http://%31%32%37.0.0.1/',
    'http://%6c%6f%63alhost/',
    'http://１２７.０.０.１/',
    'http://①②⑦.0.0.1/',
    'http://127。0。0。1/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://a.localhost/',
    'http://127.0.0.1.nip.example/',
    'http://rebound.example/',
    'https://rebound.example:443/',
    'http://rebound.example:80/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://metadata.google.internal/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://198.18.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://mixed.example/',
    'http://mixed6.example/',
    'http://mapped.example/',
    'http://nat64.example/',
    'http://zone.example/',
    'http://nonsense.example/',
  ],
  unreachable: ['http://unknown.example/', 'http://empty.example/', 'http://127.0.0.1.unknown.example/'],
};

describe('a hostile URL never causes a connection', () => {
  const cases = Object.entries(hostile).flatMap(([reason, urls]) => urls.map(url => [reason, url] as const));

  it.each(cases)('rejected for its %s: %j', async (reason, url) => {
    await expect(guarded.fetch(url, { maxBytes: 1_000, timeoutMs: 5_000 })).rejects.toMatchObject({
      name: 'EgressError',
      reason,
    });
  });

  it('is rejected without internal addresses in the message', async () => {
    const rejected = guarded.fetch('http://metadata.google.internal/', { maxBytes: 1_000, timeoutMs: 5_000 });
    await expect(rejected).rejects.toMatchObject({
      message: 'its server is not on the public internet',
      transient: false,
    });
  });
});
