/** Unknown members and parameters: every operation of the API document rejects them, at every level. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { useService } from '../../support/test-service.ts';

const contracts = await discoverContracts();
const service = useService('unknown-members', () => ({
  contracts,
  env: { REQUESTS_PER_MINUTE: '100000' },
}));
let client: ApiClient;
let document: z.infer<typeof Document>;

const Schema = z.looseObject({
  $ref: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
const Described = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: Schema })) }).optional(),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});
const Problem = z.object({
  errors: z.array(z.object({ pointer: z.string(), detail: z.string(), in: z.string().optional() })),
});

/** RFC 6749 section 3.2 requires to ignore unknown parameters. */
const oauthForms = ['oauth.issueToken', 'oauth.introspectToken', 'oauth.revokeToken', 'oauth.getServerMetadata'];
/** People open these addresses, and apps add parameters of their own to links. */
const openedByPeople = ['links.open', 'links.openReport', 'jobs.openResultLink'];

beforeAll(async () => {
  client = await service.client(service.scopes);
  document = Document.parse(await (await fetch(`${service.origin}/v2/openapi.json`)).json());
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, '1').replace(/^\/v2/, ''),
      ...described,
    })),
  );

interface Level {
  path: (string | number)[];
  names: string[];
  isOpen: boolean;
}

/** Every object of a schema that names its members. */
function levels(schema: unknown, path: Level['path'] = []): Level[] {
  const { $ref, properties, additionalProperties, items, anyOf = [] } = Schema.parse(schema ?? {});
  if ($ref !== undefined) return levels(document.components.schemas[$ref.split('/').at(-1) ?? ''], path);
  return [
    ...(properties ? [{ path, names: Object.keys(properties), isOpen: additionalProperties !== false }] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, member]) => levels(member, [...path, name])),
    ...(items === undefined ? [] : levels(items, [...path, 0])),
    ...anyOf.flatMap(option => levels(option, path)),
  ];
}

const bodyWith = ([name, ...rest]: Level['path'], innermost: object): object => {
  if (name === undefined) return innermost;
  return typeof name === 'number' ? [bodyWith(rest, innermost)] : { [name]: bodyWith(rest, innermost) };
};

const misspelt = ([name]: readonly string[]) => (name === undefined ? 'unknown' : `${name}z`);
const suggestion = (names: readonly string[]) =>
  new RegExp(names.length === 0 ? 'nothing is accepted here' : `did you mean (${names.join('|')})\\?`);

async function faultsOf(method: string, path: string, body?: object) {
  const answer = await client.request(method, path, body ? { body } : {});
  expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBe(422);
  return Problem.parse(answer.body).errors;
}

describe('every operation', () => {
  it('rejects an unknown query parameter with the closest known name', async () => {
    const checked = operations().filter(({ operationId }) => ![...oauthForms, ...openedByPeople].includes(operationId));
    expect(checked.length).toBeGreaterThan(75);
    for (const { method, path, parameters, operationId } of checked) {
      const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name);
      const faults = await faultsOf(method, `${path}?${misspelt(names)}=1`);
      const detail = expect.stringMatching(suggestion(names));
      expect(faults, operationId).toContainEqual({ pointer: `/${misspelt(names)}`, detail, in: 'query' });
    }
  });

  it('rejects an unknown member at every level of a JSON body with its pointer and the closest known name', async () => {
    let checked = 0;
    const open: string[] = [];
    for (const { method, path, operationId, requestBody } of operations()) {
      const isForm = requestBody && !('application/json' in requestBody.content);
      if (isForm || method === 'GET') continue;
      const found = requestBody
        ? levels(requestBody.content['application/json']?.schema)
        : [{ path: [], names: [], isOpen: false }];
      for (const { path: place, names, isOpen } of found) {
        const at = [...place, misspelt(names)];
        if (isOpen) open.push(`${operationId} ${place.join('.')}`);
        if (isOpen) continue;
        const faults = await faultsOf(method, path, bodyWith(place, { [misspelt(names)]: 1 }));
        const fault = { pointer: `/${at.join('/')}`, detail: expect.stringMatching(suggestion(names)) };
        expect(faults, operationId).toContainEqual(fault);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(70);
    expect(open.sort()).toEqual([
      // The listing portal may add members to its events.
      ...['', 'entity'].map(place => `listingPortal.takeEvent ${place}`),
      ...['createListingFiles', 'createNewPdf', 'createPdf', 'previewPdf'].flatMap(id =>
        ['list.0', 'list.0.agent', 'list.0.payment_plan.0'].map(place => `portal.${id} ${place}`),
      ),
    ]);
  });

  it('rejects an unknown part of a form', async () => {
    const form = new FormData();
    form.append('file', new Blob(['x']));
    form.append('fiel', 'x');
    const answer = await client.request('POST', '/apps/property-projects/v1/images', { body: form });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/fiel', detail: 'is unknown; did you mean file?' }] },
    });
  });
});

describe('an OAuth form', () => {
  it('may have unknown parameters, which are ignored (RFC 6749 section 3.2)', async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'x',
      client_secret: 'x',
      audience: 'x',
    });
    const answer = await fetch(`${service.origin}/v2/oauth/token?resource=x`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ error: 'invalid_client' });
  });
});

describe('an address that people open', () => {
  it.each(['/r/unknown', '/apps/links/v1/campaigns/x/report', '/results/x?expires=1&signature=x'])(
    'ignores parameters that apps add: %s',
    async path => {
      const { status } = await client.request('GET', `${path}${path.includes('?') ? '&' : '?'}fbclid=x`);
      expect(status).toBe(404);
    },
  );
});

describe('an enumerated query value', () => {
  it.each([
    ['/jobs?kind=maintenanec', '/kind', 'did you mean maintenance?'],
    ['/jobs?state=succeded', '/state', 'did you mean succeeded?'],
    ['/apps/crm/v1/deals/summary?kind=primray', '/kind', 'did you mean primary?'],
  ])('is rejected with the closest value: %s', async (path, pointer, detail) => {
    const [fault] = await faultsOf('GET', path);
    expect(fault).toEqual({ pointer, detail: expect.stringContaining(detail), in: 'query' });
  });
});

/** Default messages of zod start with these words. */
const rawMessage = /^(Invalid|Too (small|big|few|many)|Unrecognized|Required|Expected|Unexpected)\b|received undefined/;
const oddValues = [null, {}, [], [null], 'x', -1, 1.5, true];

/** Every explanation in the answer: of problem documents and of OAuth errors. */
const Explained = z.object({
  detail: z.string().optional(),
  error_description: z.string().optional(),
  errors: z.array(z.object({ detail: z.string() })).optional(),
});

describe('the explanation of a fault', () => {
  const explanations = new Set<string>();
  async function send(method: string, path: string, body?: string, type = 'application/json') {
    const headers = {
      authorization: `Bearer ${client.accessToken}`,
      ...(body !== undefined && { 'content-type': type }),
    };
    const answer = await fetch(`${service.origin}/v2${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    if (answer.status < 400 || !/json/.test(answer.headers.get('content-type') ?? '')) return;
    const { detail, error_description, errors = [] } = Explained.parse(JSON.parse(text));
    for (const each of [detail, error_description, ...errors.map(fault => fault.detail)])
      if (each !== undefined) explanations.add(`${method} ${path}: ${each}`);
  }

  it('is never a raw message of the schema: bodies, queries and path parameters of all operations', async () => {
    for (const { method, path, parameters, requestBody } of operations()) {
      const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name);
      const queries = ['', 'x', '-1', '[]'].map(value =>
        new URLSearchParams(names.map(name => [name, value])).toString(),
      );
      queries.push(...names.map(name => `${name}=1&${name}=2`), '');
      await Promise.all([
        ...queries.map(query => send(method, `${path}?${query}`)),
        ...['%20', 'x%2Fy', '-1', '%00'].map(odd => send(method, path.replaceAll('/1', `/${odd}`))),
      ]);
      const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      if (type === undefined || method === 'GET') continue;
      const members = levels(media?.schema).find(({ path: place }) => place.length === 0)?.names ?? [];
      const bodies = oddValues.flatMap(value => [value, Object.fromEntries(members.map(name => [name, value]))]);
      await Promise.all([
        ...bodies.map(body => send(method, path, JSON.stringify(body), type)),
        ...['', '{', 'a=1&a=2', members.map(name => `${name}=x`).join('&')].map(body => send(method, path, body, type)),
        send(method, path, '<x/>', 'application/xml'),
      ]);
    }
    expect(explanations.size).toBeGreaterThan(500);
    expect([...explanations].filter(each => rawMessage.test(each.split(': ').slice(1).join(': ')))).toEqual([]);
  });
});
