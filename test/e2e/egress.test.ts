/**
 * Sends hostile URLs to every input of the built service that takes a URL. Internal servers (canaries) must receive no
 * connection. An allowed server shows that the inputs work. The test has its own DNS server.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { EgressReason } from '../../core/egress/egress-error.ts';
import { JobResource } from '../../core/jobs/resource.ts';
import { mapConcurrent } from '../../core/runtime/map-concurrent.ts';
import { type Canary, startCanary } from '../support/canary.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type HostilePorts, type HostileUrl, hostileNames, hostileUrls } from '../support/hostile-urls.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/loopback-server.ts';
import { pollPause } from '../support/poll-pause.ts';
import { linkBrowserFolder, type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { removeServer, startOwnPostgres, temporaryFolder } from '../support/test-postgres.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The messages of each reason; some checks happen before the fetch. */
const messages: Record<EgressReason, RegExp> = {
  url: /is not a URL|not an http or https URL/,
  scheme: /neither http nor https|not an http or https URL/,
  credentials: /carries a user name or password/,
  port: /names a port that is not allowed/,
  address: /is not on the public internet/,
  redirects: /redirects/,
  encoding: /compressed/,
  'too-large': /larger than/,
  timeout: /took longer/,
  unreachable: /name is not known|could not be reached/,
  status: /answered \d+/,
};

const Accepted = z.object({ id: z.string() });
const Findings = z.object({ warnings: z.array(z.object({ pointer: z.string(), detail: z.string() })) });
const MadeLink = z.object({ slug: z.string() });

let dataDir: string;
let dns: DnsServer;
let open: LoopbackServer;
/** Headers that the allowed server received. */
const headersSeen: string[] = [];
let inside: Canary;
let closed: Canary;
/** On the allowed server's port at another address, which a second DNS lookup returns. */
let neighbour: Canary;
let ports: HostilePorts;
let hostile: HostileUrl[];
let base: string;
let token: string;
const processes: ServiceProcess[] = [];

beforeAll(async () => {
  dataDir = await temporaryFolder();
  linkBrowserFolder(dataDir);
  const photo = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer();
  open = await startLoopbackServer((incoming, response) => {
    headersSeen.push(...incoming.rawHeaders);
    const [, kind = '', status = '', target = ''] = (incoming.url ?? '').split('/');
    if (kind === 'to') {
      response.writeHead(Number(status), { location: Buffer.from(target, 'base64url').toString() }).end();
    } else if (kind === 'drawing') {
      response.end(`<svg xmlns="http://www.w3.org/2000/svg"><image href="${insideUrl('svg')}"/></svg>`);
    } else if (kind === 'photo') {
      // Closes the connection, so that the next photo needs a DNS lookup.
      response.writeHead(200, { 'content-type': 'image/jpeg', connection: 'close' }).end(photo);
    } else {
      response.writeHead(204).end();
    }
  });
  inside = await startCanary('::').catch(() => startCanary('0.0.0.0'));
  closed = await startCanary('::').catch(() => startCanary('0.0.0.0'));
  neighbour = await startCanary('127.0.0.2', open.port);
  ports = { inside: inside.port, closed: closed.port, open: open.port };
  const own = Object.values(networkInterfaces()).flatMap(addresses =>
    (addresses ?? []).flatMap(({ address, family, internal }) => (family === 'IPv4' && !internal ? [address] : [])),
  );
  hostile = hostileUrls(ports, own);
  dns = await startDnsServer({
    ...Object.fromEntries(Object.entries(hostileNames).map(([name, found]) => [name, () => found])),
    'open.test': () => ['127.0.0.1'],
    'two-faced.test': () => ['127.0.0.1', '127.0.0.2'],
    'turning.test': lookup => (lookup === 1 ? ['127.0.0.1'] : ['127.0.0.2']),
  });

  const { url: databaseUrl } = await startOwnPostgres(dataDir);
  const secret = randomUUID();
  const env = {
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://portal.example',
    LOG_LEVEL: 'info',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    // The second entry allows the port for an address that does not exist.
    EGRESS_ALLOW: `127.0.0.1:${ports.open},198.51.100.255/32:${ports.inside}`,
    CALLBACK_RETRY_SECONDS: '0',
    BOOTSTRAP_CLIENT_ID: 'egress',
    BOOTSTRAP_CLIENT_SECRET: secret,
    TEST_DNS_SERVER: dns.address,
    NODE_OPTIONS: `--import ${pathToFileURL(path.join(import.meta.dirname, '../support/names-from-test-server.mjs'))}`,
  };
  const api = startProcess('api/main.ts', { env });
  const worker = startProcess('workers/main.ts', { env, args: ['pdf'] });
  processes.push(api, worker);
  const [address] = await Promise.all([api.ready, worker.ready]);
  base = `${address}/v2`;
  const answer = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`egress:${secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  token = z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
});

afterAll(async () => {
  await stopProcesses(processes);
  await Promise.all([dns, open, inside, closed, neighbour].map(server => server?.close()));
  await removeServer(dataDir);
});

const insideUrl = (name: string) => `http://127.0.0.1:${ports.inside}/${name}`;
const openUrl = (rest: string, host = '127.0.0.1') => `http://${host}:${ports.open}/${rest}`;
const redirect = (status: number, target: string) =>
  openUrl(`to/${status}/${Buffer.from(target).toString('base64url')}`);

const post = async (route: string, body: object): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(base + route, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
};

async function jobWhen(id: string, wanted: (job: JobResource) => boolean): Promise<JobResource> {
  const startedAt = Date.now();
  for (;;) {
    const answer = await fetch(`${base}/jobs/${id}`, { headers: { authorization: `Bearer ${token}` } });
    const job = JobResource.parse(await answer.json());
    if (wanted(job)) return job;
    await pollPause(startedAt);
  }
}
const hasFinished = ({ state }: JobResource): boolean => ['succeeded', 'failed', 'cancelled'].includes(state);

async function printed(listings: readonly object[], more: object = {}, route = ''): Promise<JobResource> {
  const { status, body } = await post(`/apps/portal/v1/pdf${route}`, { list: listings, ...more });
  expect(status, JSON.stringify(body)).toBe(202);
  return await jobWhen(Accepted.parse(body).id, hasFinished);
}

const listing = (more: object = {}): object => ({ reference_number: 'E-1', title_en: 'A home', ...more });

/** Submits the URLs. @returns the error message of each URL, '' without one */
type UrlInput = (urls: readonly string[]) => Promise<string[]>;

const fetchingInputs: Record<string, UrlInput> = {
  'listing photos': async urls => {
    const { error } = await printed(
      urls.map(url => listing({ photo: [url] })),
      { onError: 'fail' },
    );
    return urls.map((_, index) => detailAt(error?.errors ?? [], `/list/${index}/photo/0`));
  },
  'agent photos': async urls => {
    const { error } = await printed(
      urls.map(url => listing({ agent: { name: 'Noor', photo: url } })),
      { onError: 'fail' },
    );
    return urls.map((_, index) => detailAt(error?.errors ?? [], `/list/${index}/agent/photo`));
  },
  'the listing check': async urls => {
    const list = urls.map(url => listing({ photo: [url] }));
    const { status, body } = await post('/apps/portal/v1/pdf', { list, validateOnly: true });
    expect(status).toBe(200);
    const { warnings } = Findings.parse(body);
    return urls.map((_, index) => detailAt(warnings, `/list/${index}/photo/0`));
  },
};

const detailAt = (faults: readonly { pointer?: string | undefined; detail: string }[], pointer: string): string =>
  faults.find(fault => fault.pointer === pointer)?.detail ?? '';

/**
 * Submits a job that fails at once, with a callback to `url`.
 * @returns the rejection of the URL, or the job after its callback was delivered or has failed
 */
async function callbackTo(url: string): Promise<{ rejection: string } | JobResource> {
  const unprintable = listing({ photo: ['ftp://photos.example/1.jpg'] });
  const { status, body } = await post('/apps/portal/v1/pdf', {
    list: [unprintable],
    onError: 'fail',
    callback: { url },
  });
  if (status !== 202) {
    const Rejected = z.object({ errors: z.array(z.object({ pointer: z.string(), detail: z.string() })) });
    return { rejection: detailAt(Rejected.parse(body).errors, '/callback/url') };
  }
  return await jobWhen(Accepted.parse(body).id, ({ callback }) => callback?.state !== 'pending');
}

const expectNoConnections = () =>
  expect([inside, closed, neighbour].map(({ connections }) => connections)).toEqual([[], [], []]);

describe('allowed addresses', () => {
  it('are fetched as photos and receive callbacks', async () => {
    const photo = openUrl('photo/1.jpg');
    const job = await printed([listing({ photo: [photo], agent: { name: 'Noor', photo: `${photo}?agent` } })]);
    expect(job).toMatchObject({ state: 'succeeded', warnings: [] });
    expect(await callbackTo(openUrl('callback'))).toMatchObject({ callback: { state: 'delivered' } });
    expect(open.requests).toEqual(
      expect.arrayContaining(['GET /photo/1.jpg', 'GET /photo/1.jpg?agent', 'POST /callback']),
    );
    expect(dns.lookups('open.test')).toBe(0);
    expect(await fetchingInputs['the listing check']?.([openUrl('photo/2.jpg', 'open.test')])).toEqual(['']);
    expect(dns.lookups('open.test')).toBe(1);
    expectNoConnections();
  });
});

describe('hostile addresses', () => {
  it('number more than 100', () => expect(new Set(hostile.map(({ url }) => url)).size).toBeGreaterThan(100));

  it.each(Object.keys(fetchingInputs))('are rejected as %s with the reason', async input => {
    const answers = await fetchingInputs[input]?.(hostile.map(({ url }) => url));
    for (const [index, { url, reason }] of hostile.entries())
      expect(answers?.[index], `${url} as one of ${input}`).toMatch(messages[reason]);
    expectNoConnections();
  });

  it('are rejected as callback URLs, or fail when the name resolves to a forbidden address', async () => {
    // The DNS server of the test is in this process: with all callbacks at once, a lookup may end late and be repeated.
    const answers = await mapConcurrent(hostile, { limit: 8 }, ({ url }) => callbackTo(url));
    for (const [index, { url, reason }] of hostile.entries()) {
      const answer = answers[index];
      if (answer && 'rejection' in answer) expect(answer.rejection, url).toMatch(messages[reason]);
      else expect(answer?.callback, url).toMatchObject({ state: 'failed', tries: 1, lastStatus: null });
    }
    expectNoConnections();
  });

  it('are link targets only if they are http or https URLs without credentials', async () => {
    await Promise.all(
      hostile.map(async ({ url, isLinkTarget }) => {
        const { status, body } = await post('/apps/links/v1/campaigns', { name: 'A link', url });
        expect(status, url).toBe(isLinkTarget ? 201 : 422);
        if (!isLinkTarget) return;
        const answer = await fetch(`${base}/r/${MadeLink.parse(body).slug}`, { redirect: 'manual' });
        expect([answer.status, answer.headers.get('location')]).toEqual([302, new URL(url).href]);
      }),
    );
    expectNoConnections();
  });
});

describe('an allowed server', () => {
  it('cannot redirect the service to an internal address, whatever the status and spelling', async () => {
    const to = insideUrl('redirected');
    const urls = [
      ...[301, 302, 303, 307, 308].map(status => redirect(status, to)),
      `//127.0.0.1:${ports.inside}/`,
      `\\\\127.0.0.1:${ports.inside}\\`,
      `http://[::1]:${ports.inside}/`,
      `http://loopback.test:${ports.inside}/`,
      `http://2130706433:${ports.inside}/`,
      `http://127.0.0.1:${ports.closed}/`,
      'file:///etc/passwd',
      `gopher://127.0.0.1:${ports.inside}/`,
      `http://user@127.0.0.1:${ports.inside}/`,
      'data:image/png;base64,AAAA',
      'http://169.254.169.254/',
      redirect(302, to),
      redirect(307, redirect(301, to)),
    ].map(target => (target.startsWith(openUrl('to/')) ? target : redirect(302, target)));
    for (const [input, submit] of Object.entries(fetchingInputs)) {
      const answers = await submit(urls);
      for (const [index, answer] of answers.entries())
        expect(answer, `${input}: ${urls[index]}`).toMatch(/not on the public|port that is not|neither http|user name/);
    }
    const callbacks = await Promise.all(urls.map(callbackTo));
    expect(new Set(callbacks.map(answer => 'callback' in answer && answer.callback?.state))).toEqual(
      new Set(['failed']),
    );
    expectNoConnections();
  });

  it('receives no header that the URL injects', async () => {
    const [answer] = (await fetchingInputs['the listing check']?.([openUrl('photo/9\r\nX-Injected: 1')])) ?? [];
    expect(answer).toBe('');
    expect(headersSeen).not.toContain('X-Injected');
  });

  it('cannot make the service load URLs in an SVG, and neither can markup in a listing', async () => {
    const [drawing] = (await fetchingInputs['listing photos']?.([openUrl('drawing/1.svg')])) ?? [];
    expect(drawing).toMatch(/could not be loaded/);
    const markup = `<img src="${insideUrl('img')}"><link rel=stylesheet href="${insideUrl('css')}"><script src="${insideUrl('js')}"></script>`;
    const hostileText = listing({
      title_en: markup,
      description_en: `${markup} @import url(${insideUrl('import')})`,
      community: `"><iframe src="${insideUrl('frame')}">`,
      agent: { name: markup, phone: markup, email: `${markup}@x.example` },
      photo: [openUrl('photo/1.jpg')],
    });
    for (const route of ['', '-new'])
      expect(await printed([hostileText], {}, route)).toMatchObject({ state: 'succeeded' });
    expectNoConnections();
  });
});

describe('a host name with changing addresses', () => {
  it('is looked up once per fetch and rejected when it changes to a forbidden address', async () => {
    const check = fetchingInputs['the listing check'];
    expect(await check?.([openUrl('photo/first.jpg', 'turning.test')])).toEqual(['']);
    expect(dns.lookups('turning.test')).toBe(1);
    expect(await check?.([openUrl('photo/second.jpg', 'turning.test')])).toEqual([
      expect.stringMatching(messages.address),
    ]);
    expect(dns.lookups('turning.test')).toBe(2);
    expect(await callbackTo(openUrl('callback', 'turning.test'))).toMatchObject({ callback: { state: 'failed' } });
    expectNoConnections();
  });

  it('is rejected when one of its addresses is forbidden', async () => {
    for (const submit of Object.values(fetchingInputs))
      expect(await submit([openUrl('photo/1.jpg', 'two-faced.test')])).toEqual([
        expect.stringMatching(messages.address),
      ]);
    expectNoConnections();
  });
});

it('no path redirects to another host', async () => {
  const paths = [
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '///elsewhere.example/%2e%2e',
    '/%2f%2felsewhere.example/',
    '/r//elsewhere.example',
    '/r/https://elsewhere.example',
    '/r/%2f%2felsewhere.example',
    '/r/..%2f..%2fdocs',
    '/r/x?url=https://elsewhere.example',
    '/r/https:%5c%5celsewhere.example',
    '/r/%0d%0aLocation:%20x',
    '/v2',
    '/v2/docs',
    '/docs',
    '//elsewhere.example/..;/docs',
    '/v2//elsewhere.example/docs',
    '/v2/docs/..',
    '/v2/ops/queues',
    '/v2/ops/queues//elsewhere.example/',
    '/v2/jobs/https:%2f%2felsewhere.example/result',
  ];
  for (const rawPath of paths) {
    const location = await locationOf(rawPath);
    if (location !== undefined) expect(new URL(location, base).origin, rawPath).toBe(new URL(base).origin);
  }
});

/** Requests an unnormalised path with a foreign Host header. */
async function locationOf(rawPath: string): Promise<string | undefined> {
  const { hostname: host, port } = new URL(base);
  const headers = { host: 'elsewhere.example', 'x-forwarded-host': 'elsewhere.example' };
  const sent = request({ host, port, path: rawPath, headers }).end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.headers.location;
}
