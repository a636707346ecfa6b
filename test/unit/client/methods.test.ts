/** Tests the requests of the client's methods and of its raw calls, against recorded requests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiDocument } from '../../../api/document/api-document.ts';
import { clientMethods, routesModule } from '../../../api/document/client-methods.ts';
import { loadOperations } from '../../../api/http/load-operations.ts';
import { createPortalClient, isProblemOf } from '../../../client/src/index.ts';
import { discoverContracts } from '../../../core/jobs/discover.ts';

const document = apiDocument(await loadOperations(), [...(await discoverContracts()).values()]);
const login = { baseUrl: 'http://portal.example/v2/', clientId: 'c', clientSecret: 's' };

/** @param answer the response to every request except that for a token */
function serviceOf(answer: () => Response = () => Response.json({ id: 7 })) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async input => {
    const request = new Request(input);
    if (request.url.endsWith('/token')) return Response.json({ access_token: 't', expires_in: 3_600 });
    requests.push(request);
    return answer();
  };
  return { client: createPortalClient({ ...login, fetch }), requests };
}

const lineOf = ({ method, url }: Request) => `${method} ${url.replace('http://portal.example/v2', '')}`;

it('the committed routes are those of the API document (else: npm run client:types)', () => {
  const file = path.resolve(import.meta.dirname, '../../../client/src/routes.ts');
  expect(readFileSync(file, 'utf8')).toBe(routesModule(document, clientMethods(document)));
});

it('every operation is a method, except redirects for browsers', () => {
  const { client } = serviceOf();
  const ids = Object.values(
    z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))).parse(document.paths),
  ).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId));
  const groups = z.record(z.string(), z.unknown()).parse(client);
  const missing = ids.filter(id => {
    const [group = '', name = ''] = id.split('.');
    return typeof Reflect.get(Object(groups[group]), name) !== 'function';
  });
  expect(missing).toEqual(['links.open']);
});

describe('a method', () => {
  it('puts its input into path, query and body', async () => {
    const { client, requests } = serviceOf();
    await client.crm.getItem({ entityTypeId: 1036, id: 7 });
    await client.crm.acquireDeals({ dryRun: true });
    await client.employees.updateEmployee({ number: 'MP 1/2', email: 'a@example.com' });
    expect(requests.map(lineOf)).toEqual([
      'GET /apps/crm/v1/items/1036/7',
      'GET /apps/crm/v1/deals/acquire?dryRun=true',
      'PATCH /apps/employees/v1/employees/MP%201%2F2',
    ]);
    expect(await requests[2]?.json()).toEqual({ email: 'a@example.com' });
  });

  it('sends members in the body that the query of the operation repeats', async () => {
    const { client, requests } = serviceOf();
    const link = { name: 'Palm', url: 'https://example.com/', findExisting: true };
    await client.links.createCampaign(link);
    expect(requests.map(lineOf)).toEqual(['POST /apps/links/v1/campaigns']);
    expect(await requests[0]?.json()).toEqual(link);
  });

  it('sends query and body of a search, and follows its pages', async () => {
    const pages = [
      { items: [{ id: 'a' }], nextCursor: 'second' },
      { items: [{ id: 'b' }], nextCursor: null },
    ];
    const { client, requests } = serviceOf(() => Response.json(pages.shift()));
    const ids: string[] = [];
    for await (const { id } of client.directory.searchUsers({ limit: 1, text: 'sara' })) ids.push(id);
    expect(ids).toEqual(['a', 'b']);
    expect(requests.map(lineOf)).toEqual([
      'POST /apps/directory/v1/users/search?limit=1',
      'POST /apps/directory/v1/users/search?limit=1&cursor=second',
    ]);
    expect(await requests[1]?.json()).toEqual({ text: 'sara' });
  });

  it('sends a file as multipart/form-data', async () => {
    const { client, requests } = serviceOf();
    await client.propertyProjects.uploadImage({ file: new File(['x'], 'x.png', { type: 'image/png' }) });
    const form = await requests[0]?.formData();
    expect(form?.get('file')).toMatchObject({ name: 'x.png', type: 'image/png' });
  });

  it('returns undefined for an answer without content', async () => {
    const { client } = serviceOf(() => new Response(null, { status: 204 }));
    expect(await client.crm.forgetLocationAlias({ portalLocationId: 50 })).toBeUndefined();
  });

  it('returns a file as a download', async () => {
    const { client } = serviceOf(() => new Response('<svg/>', { headers: { 'content-type': 'image/svg+xml' } }));
    const file = await client.links.getQr({ kind: 'projects', id: '1', size: 512 });
    expect(file.contentType).toBe('image/svg+xml');
    expect(new TextDecoder().decode(await file.bytes())).toBe('<svg/>');
  });

  it('rejects a missing part of the path before it sends a request', async () => {
    const { client, requests } = serviceOf();
    await expect(client.jobs.get({ id: '' })).rejects.toThrow('"id" of jobs.get must not be empty; it was "".');
    expect(requests).toEqual([]);
  });

  it('rejects an answer that is not JSON, such as a page of a proxy', async () => {
    const { client } = serviceOf(() => new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } }));
    const message = 'The answer of crm.getLead must be JSON; its content type is text/html.';
    await expect(client.crm.getLead({ id: 7 })).rejects.toThrow(message);
  });

  it('rejects with the problem, which names the operation', async () => {
    const problem = { type: 'x', code: 'conflict', title: 'Conflict', status: 409, detail: 'An equal lead is open.' };
    const { client } = serviceOf(() => Response.json(problem, { status: 409 }));
    const error = await client.crm.createLead({ title: 'x' }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'PortalProblem', operation: 'crm.createLead', code: 'conflict' });
    expect(isProblemOf(error, 'crm.createLead')).toBe(true);
    expect(isProblemOf(error, 'crm.getLead')).toBe(false);
  });
});

describe('the Idempotency-Key', () => {
  const declaring = clientMethods(document).filter(({ acceptsKey }) => acceptsKey);

  it('is sent by every method and raw call whose operation declares it, and by no other', async () => {
    const { client, requests } = serviceOf(() => Response.json({ items: [], nextCursor: null }));
    expect(declaring.length).toBeGreaterThan(30);
    for (const { group, name, verb, path: route, acceptsKey } of clientMethods(document)) {
      const input = Object.fromEntries([...route.matchAll(/\{(\w+)\}/g)].map(([, each]) => [each, '1']));
      await Reflect.get(Reflect.get(client, group), name)(input);
      if (verb === 'POST') await Reflect.apply(client.api.POST, undefined, [route, { params: { path: input } }]);
      if (acceptsKey) expect(requests, `${group}.${name}`).toHaveLength(2);
      for (const request of requests.splice(0))
        expect(request.headers.has('idempotency-key'), `${group}.${name}`).toBe(acceptsKey);
    }
  });

  it('is that of the caller, if there is one', async () => {
    const { client, requests } = serviceOf();
    await client.crm.createLead({ title: 'x' }, { idempotencyKey: 'lead-1' });
    const params = { header: { 'Idempotency-Key': 'lead-2' } };
    await client.api.POST('/apps/crm/v1/leads', { params, body: { title: 'x' } });
    expect(requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['lead-1', 'lead-2']);
  });

  it('is the same in retries', async () => {
    const answers = [503, 200];
    const { client, requests } = serviceOf(() =>
      Response.json({ id: 7 }, { status: answers.shift() ?? 500, headers: { 'retry-after': '0' } }),
    );
    await client.telephony.sendSms({ to: '050 123 4561', text: 'Hello' });
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });
});
