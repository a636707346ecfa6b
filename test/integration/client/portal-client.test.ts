/** Tests the typed client against the running service. */
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createPortalClient,
  dataOf,
  isProblemOf,
  type Job,
  jobOf,
  type PortalClient,
  PortalConnectionError,
  PortalProblem,
} from '../../../client/src/index.ts';
import { saveTo } from '../../../client/src/node.ts';
import { freePort } from '../../../core/runtime/free-port.ts';
import { type BrochureService, startBrochureService } from '../../support/brochure-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let brochures: BrochureService;
let login: { baseUrl: string; clientId: string; clientSecret: string };
let client: PortalClient;

beforeAll(async () => {
  brochures = await startBrochureService('portal-client');
  const { service } = brochures;
  const clientId = 'portal';
  const clientSecret = 'a secret: with a colon, and ünusual letters';
  const scopes = ['pdf', 'telephony'];
  await service.clients.put({ clientId, clientSecret, name: 'Portal', scopes }, { kind: 'command', name: 'test' });
  login = { baseUrl: `${service.origin}/v2`, clientId, clientSecret };
  client = createPortalClient(login);
});
afterAll(() => brochures?.close());

const listing = (photo: string) => ({
  reference_number: `MP-${randomUUID().slice(0, 8)}`,
  title_en: 'Beachfront villa with a pool',
  photo: [photo],
});

/** Wraps the global fetch, records its requests and optionally replaces responses. */
function recordingFetch(change: (request: Request, response: Response) => Response = (_, response) => response) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push(request);
    return change(request, await globalThis.fetch(request.clone()));
  };
  return {
    fetch,
    pathsOf: () => requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`),
    requests,
  };
}

describe('a brochure', () => {
  it('is submitted, followed and downloaded', async () => {
    const submitted = await client.submitPdf([listing(brochures.photos.photo(1))], { design: 'classic' });
    expect(submitted).toMatchObject({ kind: 'pdf', state: 'queued' });

    const seen: Job[] = [];
    const job = await client.waitForJob(submitted, { onProgress: each => seen.push(each), timeoutMs: 60_000 });
    expect(job).toMatchObject({ id: submitted.id, state: 'succeeded', result: { pages: 1 } });
    expect(seen.at(0)).toMatchObject({ id: submitted.id, state: 'queued' });
    const percents = seen.flatMap(({ progress }) => progress?.percent ?? []);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);

    const download = await client.download(job);
    expect(download).toMatchObject({ contentType: 'application/pdf', size: expect.any(Number) });
    const bytes = await download.bytes();
    expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('%PDF-');
    expect(bytes.byteLength).toBe(download.size);

    const file = path.join(temporaryFolder(), download.fileName ?? '');
    expect(await saveTo(file, await client.download(job.id))).toBe(bytes.byteLength);
    expect(
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ).toBe(download.sha256);
  });

  it('that is invalid is rejected with every error and its pointer', async () => {
    const rejected = await client.submitPdf([{ reference_number: '', title_en: 'Villa' }]).catch(error => error);
    expect(rejected).toBeInstanceOf(PortalProblem);
    expect(rejected).toMatchObject({
      status: 422,
      type: 'http://portal.example/v2/problems/invalid-input',
      errors: [{ pointer: '/list/0/reference_number', detail: 'must not be empty' }],
    });
    expect(rejected.message).toContain('body /list/0/reference_number: must not be empty');
  });

  it('submitted twice with one idempotency key is one job', async () => {
    const list = [listing(brochures.photos.photo(2))];
    const first = await client.submitPdf(list, { idempotencyKey: 'brochure-2' });
    expect(await client.submitPdf(list, { idempotencyKey: 'brochure-2' })).toMatchObject({ id: first.id });
    await client.waitForJob(first);
  });

  it('has no result while the job is running', async () => {
    const job = await client.submitPdf([listing(brochures.photos.blocked())]);
    await expect(client.download(job)).rejects.toMatchObject({ status: 409, title: 'Conflict' });
    brochures.photos.release();
    expect(await client.waitForJob(job)).toMatchObject({ state: 'succeeded' });
  });
});

describe('waiting', () => {
  it('ends on abort or timeout without cancelling the job', async () => {
    const { service, photos } = brochures;
    const waiting = await startHeldJob();
    const controller = new AbortController();
    const reason = new Error('the customer left');
    const aborted = client.waitForJob(waiting, {
      onProgress: () => controller.abort(reason),
      signal: controller.signal,
    });
    await expect(aborted).rejects.toBe(reason);
    await expect(client.waitForJob(waiting, { timeoutMs: 50 })).rejects.toMatchObject({ name: 'PortalTimeoutError' });
    expect((await service.records.find(waiting.id))?.cancelRequestedAt).toBeNull();
    photos.release();
    expect(await client.waitForJob(waiting)).toMatchObject({ state: 'succeeded' });
  });

  it('polls when the event stream fails', async () => {
    const isStream = ({ url }: Request) => url.endsWith('/events');
    const { fetch, pathsOf } = recordingFetch((request, response) =>
      isStream(request) ? new Response('<h1>Bad gateway</h1>', { status: 502 }) : response,
    );
    const behindProxy = createPortalClient({ ...login, fetch });
    const job = await behindProxy.submitPdf([listing(brochures.photos.photo(3))], { design: 'classic' });
    expect(await behindProxy.waitForJob(job)).toMatchObject({ state: 'succeeded' });
    expect(pathsOf().filter(each => each.endsWith('/events'))).toHaveLength(1);
  });

  it('for an unknown job rejects with 404', async () => {
    const unknownId = `pdf_${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`;
    await expect(client.waitForJob(unknownId)).rejects.toMatchObject({ status: 404 });
  });
});

async function startHeldJob(): Promise<Job> {
  return await client.submitPdf([listing(brochures.photos.blocked())]);
}

describe('methods', () => {
  it('list, page by page, and get', async () => {
    const submitted = await Promise.all([1, 2, 3].map(at => client.submitPdf([listing(brochures.photos.photo(at))])));
    const ids: string[] = [];
    for await (const { id } of client.jobs.list({ kind: 'pdf', limit: 1 })) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(submitted.map(job => job.id)));
    expect(new Set(ids).size).toBe(ids.length);
    const [id = ''] = ids;
    expect(await client.jobs.get({ id })).toMatchObject({ id, kind: 'pdf' });
  });

  it('have one effect for an idempotency key', async () => {
    const print = () =>
      client.portal.createNewPdf(
        { list: [samePhoto] },
        { idempotencyKey: 'methods', headers: { prefer: 'respond-async' } },
      );
    const samePhoto = listing(brochures.photos.photo(5));
    const job = await jobOf(print(), 'pdf');
    expect(await jobOf(print(), 'pdf')).toMatchObject({ id: job.id });
    await client.waitForJob(job);
  });

  it('of OAuth send forms', async () => {
    const { clientId: client_id, clientSecret: client_secret } = login;
    const token = await client.oauth.issueToken({ grant_type: 'client_credentials', client_id, client_secret });
    const { access_token } = token;
    expect(await client.oauth.introspectToken({ token: access_token, client_id, client_secret })).toMatchObject({
      active: true,
    });
  });

  it('reject with the problems of their operation', async () => {
    const error = await client.jobs.get({ id: 'pdf_x' }).catch((reason: unknown) => reason);
    expect(isProblemOf(error, 'jobs.get') && error.document.code).toBe('not-found');
  });

  it('reject with a PortalConnectionError while the service is down', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v2`;
    const down = createPortalClient({ ...login, baseUrl, retries: 0 });
    const error = await down.jobs.list().then(undefined, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(PortalConnectionError);
    expect(error).toMatchObject({ url: `${baseUrl}/oauth/token`, message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('the token', () => {
  it('is fetched once for concurrent calls, and again after its revocation', async () => {
    const { fetch, pathsOf, requests } = recordingFetch();
    const fresh = createPortalClient({ ...login, fetch });
    const list = () => dataOf(fresh.api.GET('/jobs', { params: { query: { kind: 'pdf' } } }));
    await Promise.all([list(), list(), list()]);
    const tokens = () => pathsOf().filter(each => each === 'POST /v2/oauth/token').length;
    expect(tokens()).toBe(1);

    const token = requests.at(-1)?.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const { clientId, clientSecret } = login;
    const form = new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret });
    await globalThis.fetch(`${login.baseUrl}/oauth/revoke`, { method: 'POST', body: form });

    expect((await list()).items.length).toBeGreaterThan(0);
    expect(tokens()).toBe(2);
  });

  it('request with a wrong secret rejects with 401', async () => {
    const unauthorised = createPortalClient({ ...login, clientSecret: 'a guess' });
    await expect(unauthorised.submitPdf([])).rejects.toMatchObject({ name: 'PortalProblem', status: 401 });
  });
});

it('resumes a download after a broken connection', async () => {
  const job = await client.waitForJob(await client.submitPdf([listing(brochures.photos.photo(4))]));
  const { fetch, requests } = recordingFetch((request, response) =>
    request.url.endsWith('/result') && !request.headers.has('range') ? brokenAfter(1_000, response) : response,
  );
  const interrupted = createPortalClient({ ...login, fetch });
  const bytes = await (await interrupted.download(job)).bytes();
  expect(bytes).toEqual(await (await client.download(job)).bytes());
  expect(requests.map(({ headers }) => headers.get('range'))).toContain('bytes=1000-');
});

/** The first bytes of the response, followed by a premature end. */
function brokenAfter(count: number, { status, headers, body }: Response): Response {
  let left = count;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= Math.min(left, chunk.byteLength);
      if (left === 0) controller.terminate();
    },
  });
  return new Response(body?.pipeThrough(cut), { status, headers });
}
