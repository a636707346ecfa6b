/** URLs that must never cause a connection, with the reason of the rejection, and whether a link may have this target. */
import type { EgressReason } from '../../core/egress/egress-error.ts';

export interface HostileUrl {
  url: string;
  reason: EgressReason;
  /** The service only redirects to link targets: any well-formed http or https URL without credentials is allowed. */
  isLinkTarget: boolean;
}

export interface HostilePorts {
  /** Port of an internal service; allowed for another host, so that only the address is the reason. */
  inside: number;
  /** Port of an internal service; allowed for no host. */
  closed: number;
  /** Port of an allowed server that redirects to the URL in its path. */
  open: number;
}

/** Names and addresses of the test's DNS server. */
export const hostileNames = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'private.test': ['10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
  'mixed6.test': ['2606:4700:4700::1111', '::1'],
  '127-0-0-1.nip.test': ['127.0.0.1'],
  'xn--lcalhost-v3a.test': ['127.0.0.1'],
  'intranet.search.test': ['127.0.0.1'],
  'a.b.localhost': ['127.0.0.1'],
} as const;

/** @param own addresses of this machine */
export function hostileUrls(ports: HostilePorts, own: readonly string[]): HostileUrl[] {
  const at = (host: string) => `http://${host}:${ports.inside}/`;
  return [
    ...urlsWith('address', true, [...literals, ...own].map(at)),
    ...urlsWith('address', true, Object.keys(hostileNames).map(at)),
    ...urlsWith('address', true, [
      at('LOOPBACK.Test'),
      at('loopback.test.'),
      at('intranet'),
      at('localhost'),
      at('LOCALHOST'),
      at('ｌｏｃａｌｈｏｓｔ'),
      `HTTP://127.0.0.1:${ports.inside}/`,
      `hTtP://127.0.0.1:0${ports.inside}/`,
      `https://127.0.0.1:${ports.inside}/`,
      'http://127.0.0.1/',
      'http://169.254.169.254/latest/meta-data/iam/security-credentials/',
      'http://[fd00:ec2::254]/latest/meta-data/',
    ]),
    ...urlsWith('address', false, [
      `http:127.0.0.1:${ports.inside}`,
      `http:/127.0.0.1:${ports.inside}/`,
      `http:////127.0.0.1:${ports.inside}/`,
      `http:\\\\127.0.0.1:${ports.inside}\\`,
      `http://127.0.0.1:${ports.inside}\\@photos.example/`,
      `ht\ntp://127.0.0.1:${ports.inside}/`,
      `http://127.0\t.0.1:${ports.inside}/`,
      `http://127.0.0.1:${ports.inside}/\r\nX-Injected: 1`,
    ]),
    ...urlsWith('port', true, [
      `http://127.0.0.1:${ports.closed}/`,
      `http://loopback.test:${ports.closed}/`,
      `http://[::1]:${ports.closed}/`,
      'http://photos.example:22/',
      'https://photos.example:0/',
    ]),
    ...urlsWith('credentials', false, [
      `http://user@127.0.0.1:${ports.inside}/`,
      `http://user:secret@127.0.0.1:${ports.open}/photo/1.jpg`,
      `http://photos.example%40x@127.0.0.1:${ports.inside}/`,
      `http://photos.example:80@127.0.0.1:${ports.inside}/`,
    ]),
    ...urlsWith('scheme', false, [
      'file:///etc/passwd',
      'FILE://localhost/etc/passwd',
      `ftp://127.0.0.1:${ports.inside}/`,
      `gopher://127.0.0.1:${ports.inside}/_FLUSHALL`,
      `dict://127.0.0.1:${ports.inside}/`,
      `ws://127.0.0.1:${ports.inside}/`,
      `blob:http://127.0.0.1:${ports.inside}/1`,
      `view-source:http://127.0.0.1:${ports.inside}/`,
      'data:image/png;base64,iVBORw0KGgo=',
      'javascript:fetch("http://127.0.0.1/")',
      'unix:/var/run/docker.sock',
    ]),
    ...urlsWith('url', false, [
      `//127.0.0.1:${ports.inside}/`,
      `127.0.0.1:${ports.inside}/`,
      `http://[fe80::1%25lo]:${ports.inside}/`,
      `http://[::1%lo]:${ports.inside}/`,
      `http://[::1:${ports.inside}/`,
      `http://127.0.0.1 :${ports.inside}/`,
      `http://256.0.0.1:${ports.inside}/`,
      `http://0x100000000:${ports.inside}/`,
      'http://127.0.0.1:99999/',
      'http://%00/',
      'http://',
    ]),
  ];
}

/** Notations of internal addresses as hosts. */
const literals = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0X7F.0.0.1',
  '0177.0.0.1',
  '0177.0x0.1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '１２７.０.０.１',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127．0．0．1',
  '127｡1',
  '0',
  '0.0.0.0',
  '0x0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2606:4700::5efe:7f00:1]',
];

const urlsWith = (reason: EgressReason, isLinkTarget: boolean, urls: readonly string[]): HostileUrl[] =>
  urls.map(url => ({ url, reason, isLinkTarget }));
