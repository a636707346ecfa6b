import { afterAll, describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../../core/egress/guarded-fetch.ts';
import { hostileNames, hostileUrls } from '../../../support/hostile-urls.ts';

/** DNS answers; other names are unknown. */
const names: Record<string, readonly string[]> = {
  ...hostileNames,
  intranet: hostileNames['intranet.search.test'],
  localhost: ['127.0.0.1', '::1'],
  'metadata.google.internal': ['169.254.169.254'],
  'zone.example': ['fe80::1%eth0'],
  'nonsense.example': ['not an address'],
  'empty.example': [],
};

const guarded = createGuardedFetch({
  resolve: async hostname => {
    const found = names[hostname.replace(/\.$/, '')];
    if (!found) throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
    return [...found];
  },
});
afterAll(() => guarded.close());

/** What cannot be sent to the service, and answers that the DNS server of the other tests does not give. */
const more = {
  url: ['', 'not a url', 'http://a b/', 'http://1.2.3.4.5.6:x/'],
  scheme: ['jar:http://127.0.0.1!/'],
  credentials: ['http://:pass@a.example/'],
  address: [
    ' http://127.0.0.1/ ',
    'http://%6c%6f%63alhost/',
    'https://loopback.test:443/',
    'http://metadata.google.internal/',
    'http://zone.example/',
    'http://nonsense.example/',
  ],
  unreachable: ['http://unknown.example/', 'http://empty.example/', 'http://127.0.0.1.unknown.example/'],
};

describe('a hostile URL never causes a connection', () => {
  const cases = [
    ...hostileUrls({ inside: 80, closed: 6_379, open: 443 }, []).map(({ reason, url }) => [reason, url] as const),
    ...Object.entries(more).flatMap(([reason, urls]) => urls.map(url => [reason, url] as const)),
  ];

  it('is rejected with the reason', async () => {
    for (const [reason, url] of cases)
      await expect(
        guarded.fetch(url, { maxBytes: 1_000, timeoutMs: 5_000 }),
        JSON.stringify(url),
      ).rejects.toMatchObject({ name: 'EgressError', reason });
  }, 60_000);

  it('is rejected without internal addresses in the message', async () => {
    const rejected = guarded.fetch('http://metadata.google.internal/', { maxBytes: 1_000, timeoutMs: 5_000 });
    await expect(rejected).rejects.toMatchObject({
      message: 'its server is not on the public internet',
      transient: false,
    });
  });
});
