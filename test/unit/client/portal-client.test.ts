/** Tests the options of the client. */
import { expect, it } from 'vitest';
import {
  type CallOptions,
  createPortalClient,
  InvalidOption,
  PortalTimeoutError,
  type TokenSource,
} from '../../../client/src/index.ts';
import { version } from '../../../core/runtime/version.ts';

const login = { baseUrl: 'http://portal.example/v2', clientId: 'c', clientSecret: 's' };

it.each([
  ['no options', undefined, '"baseUrl" must be the address of the service with its base path'],
  ['no address', { ...login, baseUrl: undefined }, 'it was undefined'],
  ['a relative address', { ...login, baseUrl: '/v2' }, 'it was "/v2"'],
  ['no client id', { ...login, clientId: undefined }, '"clientId" must not be empty, unless "token" is given.'],
  ['an empty secret', { ...login, clientSecret: '' }, '"clientSecret" must not be empty'],
  ['a token that is no function', { baseUrl: login.baseUrl, token: 'x' }, '"token" must be a function'],
])('%s: an InvalidOption that names the option', (_, options, message) => {
  const create = () => Reflect.apply(createPortalClient, undefined, [options]);
  expect(create).toThrow(InvalidOption);
  expect(create).toThrow(message);
});

/** @param statuses of the answers; 200 without one */
function recorded(token: TokenSource['token'], statuses: number[] = []) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    requests.push(new Request(input));
    return Response.json({}, { status: statuses.shift() ?? 200 });
  };
  return { client: createPortalClient({ baseUrl: login.baseUrl, token, fetch }), requests };
}

it('token() is called for each request, and again after a 401', async () => {
  let issued = 0;
  const token = async () => `token-${++issued}`;
  const { client, requests } = recorded(token, [200, 401, 200]);
  await client.health.get();
  await client.health.get();
  const sent = requests.map(({ headers }) => headers.get('authorization'));
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-3']);
});

it('a rejected token that token() returns again is a problem', async () => {
  const { client, requests } = recorded(() => 'old', [401, 401]);
  await expect(client.health.get()).rejects.toMatchObject({ name: 'PortalProblem', status: 401 });
  expect(requests).toHaveLength(1);
});

it('every kind of call has a time limit, and ends with its signal', async () => {
  const fetch: typeof globalThis.fetch = async input =>
    new Promise((_, reject) => {
      const { signal } = new Request(input);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const client = createPortalClient({ baseUrl: login.baseUrl, token: () => 't', fetch });
  const listing = { reference_number: 'R-1', title_en: 'Villa' };
  const calls: ((options: CallOptions) => PromiseLike<unknown>)[] = [
    options => client.jobs.get({ id: 'pdf_1' }, options),
    options => client.jobs.list({}, options),
    options => client.jobs.getResult({ id: 'pdf_1' }, options),
    options => client.submitPdf([listing], options),
    options => client.preview(listing, options),
    options => client.waitForJob('pdf_1', options),
    options => client.download('pdf_1', options),
    options => client.cancel('pdf_1', options),
    options => client.retry('pdf_1', options),
    ({ timeoutMs, signal }) => client.api.GET('/jobs', { timeoutMs, ...(signal && { signal }) }),
  ];
  for (const call of calls) {
    await expect(call({ timeoutMs: 5 }), String(call)).rejects.toThrow(PortalTimeoutError);
    const controller = new AbortController();
    const ended = call({ signal: controller.signal }).then(undefined, (reason: unknown) => reason);
    controller.abort('left');
    expect(await ended, String(call)).toBe('left');
  }
});

it('requests name the client, its version and that of Node.js', async () => {
  const { client, requests } = recorded(() => 'x');
  await client.health.get();
  const expected = `portal-service-client/${version} node/${process.versions.node}`;
  expect(requests[0]?.headers.get('user-agent')).toBe(expected);
});
