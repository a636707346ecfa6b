/** The API document: OpenAPI 3.1, complete, consistent. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inGroup, type LoadedOperation } from '../../../../api/http/load-operations.ts';
import { defineOperation } from '../../../../api/http/operation.ts';
import { discoverContracts } from '../../../../core/jobs/discover.ts';
import { ErrorCode } from '../../../../core/runtime/errors.ts';
import { openApiClient } from '../../../support/api-client.ts';
import { useService } from '../../../support/test-service.ts';

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));
const ApiOperation = z.looseObject({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()).min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']), schema: z.unknown() }))
    .optional(),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(
    z.string(),
    z.union([
      z.object({ $ref: z.string() }),
      z.looseObject({ description: z.string().min(1), content: Content.optional() }),
    ]),
  ),
});
const ApiDocument = z.object({
  openapi: z.string(),
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), ApiOperation)),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    headers: z.record(z.string(), z.object({ description: z.string() })),
    securitySchemes: z.object({
      oauth: z.object({
        type: z.literal('oauth2'),
        flows: z.object({
          clientCredentials: z.object({ tokenUrl: z.string(), scopes: z.record(z.string(), z.string()) }),
        }),
      }),
    }),
  }),
});

const Members = z.record(z.string(), z.unknown());
const Described = z.looseObject({ $ref: z.string().optional(), description: z.string().optional() });
const Response = z.object({
  headers: Members,
  content: z.record(z.string(), z.object({ examples: Members.optional() })).optional(),
});

const outdated: LoadedOperation = inGroup(
  'trials',
  defineOperation({
    summary: 'Does nothing.',
    id: 'trials.outdated',
    route: 'GET /trials/outdated',
    scope: null,
    deprecated: { since: '2026-12-01', sunset: '2027-12-01', instead: 'Use `GET /jobs`.' },
    request: {},
    answers: { 204: { description: 'Nothing.' } },
    handle: async () => ({ status: 204 }),
  }),
);

const contracts = await discoverContracts();
const service = useService('api-document', () => ({ contracts, operations: [outdated] }));
let raw: unknown;
let document: z.infer<typeof ApiDocument>;

beforeAll(async () => {
  raw = (await openApiClient(service).request('GET', '/openapi.json')).body;
  document = ApiDocument.parse(raw);
});

const operationsOf = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** All values of a key in the document. */
function valuesOf(key: string, node: unknown = raw): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(key, value)]);
}

/** Pointers of the properties without a description of their own or of their schema. */
function undescribed(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    // Narrows the codes of a problem, which `Problem` describes.
    if (/^examples?$/.test(name) || /allOf\/1$/.test(`${path}/${name}`)) return [];
    const properties = name === 'properties' && 'type' in node ? Object.entries(Members.parse(value)) : [];
    const without = properties.filter(([, property]) => Described.parse(resolve(property)).description === undefined);
    return [...without.map(([property]) => `${path}/${property}`), ...undescribed(value, `${path}/${name}`)];
  });
}

/** Follows a reference, unless it has a description of its own. */
function resolve(node: unknown): unknown {
  const { $ref, description } = Described.parse(node);
  if ($ref === undefined || description !== undefined) return node;
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, name) => Members.parse(at)[name], raw);
}

describe('the API document', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.servers).toEqual([{ url: '/' }, { url: 'http://portal.example' }]);
  });

  it('contains every operation of the service and no other path', () => {
    const documented = operationsOf().map(({ path, method }) => `${method} ${path}`);
    const real = service.operations.map(({ method, path }) => `${method} /v2${path}`);
    expect(documented.sort()).toEqual(real.sort());
  });

  it('introduces itself with the number of operations, and of those that start a job', () => {
    const jobs = service.operations.filter(({ startsJob }) => startsJob !== undefined);
    const text = `Of the ${service.operations.length} operations, ${jobs.length} start a **job**`;
    expect(document.info.description).toContain(text);
  });

  it('gives each operation a unique id, a summary, a tag and its error responses', () => {
    const ids = operationsOf().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operation } of operationsOf()) {
      expect(operation.summary).toMatch(/^[A-Z][a-z]+( [\w-]+){1,4}$/);
      expect(Object.keys(operation.responses).some(status => /^4/.test(status))).toBe(true);
      expect(Object.keys(operation.responses).some(status => /^[23]/.test(status))).toBe(true);
    }
  });

  it('names the scope of each operation, and lists all scopes', () => {
    const { scopes } = document.components.securitySchemes.oauth.flows.clientCredentials;
    for (const { path, method, operation } of operationsOf()) {
      const { scope } = service.operations.find(one => one.id === operation.operationId) ?? {};
      const named = (operation.security ?? []).flatMap(one => one.oauth ?? []);
      expect(named, `${method} ${path}`).toEqual(scope === null || scope === '*' ? [] : [scope]);
      for (const name of named) expect(scopes).toHaveProperty([name]);
      if (scope !== null) expect(operation.security).toHaveLength(1);
    }
  });

  it('types numbers and flags in paths and queries', () => {
    for (const { id, request } of service.operations) {
      const { operation } = operationsOf().find(one => one.operation.operationId === id) ?? {};
      for (const [name, schema] of Object.entries({ ...request.params?.shape, ...request.query?.shape })) {
        const parsed = ['100', 'true']
          .map(text => z.safeParse(schema, text).data)
          .find(data => typeof data !== 'string');
        const type = typeof parsed === 'number' ? 'integer' : typeof parsed;
        const documented = operation?.parameters?.find(one => one.name === name)?.schema;
        if (type !== 'undefined') expect(documented, `${id} ${name}`).toMatchObject({ type });
      }
    }
    const limit = document.paths['/v2/jobs']?.get?.parameters?.find(({ name }) => name === 'limit');
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 200, default: 50 });
    const dryRun = document.paths['/v2/apps/crm/v1/deals/acquire']?.get?.parameters?.find(
      ({ name }) => name === 'dryRun',
    );
    expect(dryRun?.schema).toEqual({ type: 'boolean', default: false });
  });

  it('describes every path parameter', () => {
    for (const { path, operation } of operationsOf()) {
      const inPath = (operation.parameters ?? []).filter(one => one.in === 'path').map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  it('resolves every reference', () => {
    const references = valuesOf('$ref');
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      const [, part, name] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(String(reference)) ?? [];
      expect(raw, String(reference)).toHaveProperty(['components', part ?? '', name ?? '']);
    }
  });

  it('describes every property, parameter, header and scope', () => {
    expect(undescribed(raw)).toEqual([]);
    for (const { description } of valuesOf('parameters').flatMap(list => z.array(Described).parse(list)))
      expect(description).toMatch(/\w/);
    for (const header of Object.values(document.components.headers)) expect(header.description).toMatch(/\w/);
    const { scopes } = document.components.securitySchemes.oauth.flows.clientCredentials;
    const withoutText = Object.entries(scopes).filter(([, text]) => text.startsWith('Call the operations'));
    expect(withoutText.map(([scope]) => scope)).toEqual([]);
  });

  it('documents the headers and the problem types of every error', () => {
    for (const { path, method, operation } of operationsOf()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const name = `${method} ${path} ${status}`;
        const { headers, content } = Response.parse(resolve(response));
        expect(headers, name).toHaveProperty('X-Request-Id');
        const examples = content?.['application/problem+json']?.examples;
        if (Number(status) < 400 || !content?.['application/problem+json']) continue;
        const codes = Object.keys(examples ?? {});
        expect(codes.length, name).toBeGreaterThan(0);
        expect(ErrorCode.options, name).toEqual(expect.arrayContaining(codes));
      }
    }
  });

  it('does not require request fields with a default', () => {
    const pdf = document.paths['/v2/apps/portal/v1/pdf']?.post?.requestBody?.content['application/json']?.schema;
    const listing = document.components.schemas.Listing;
    expect(JSON.stringify(pdf)).toContain('"#/components/schemas/Listing"');
    expect(listing).toHaveProperty('properties.description_en');
    expect(listing).toHaveProperty('required', ['reference_number', 'title_en']);
    const required = valuesOf('required', pdf).flat();
    expect(required).toContain('list');
    expect(required).not.toContain('onError');
  });

  it('documents the PDF as alternative content type of PDF operations', () =>
    expect(document.paths['/v2/apps/portal/v1/pdf']?.post?.responses['200']).toMatchObject({
      content: { 'application/json': {}, 'application/pdf': {} },
    }));
});

describe('a deprecated operation', () => {
  it.each([
    ['a result', '', 204],
    ['a problem', '?unknown=1', 422],
  ])('says so in %s: Deprecation (RFC 9745) and Sunset (RFC 8594)', async (_, query, status) => {
    const answer = await openApiClient(service).request('GET', `/trials/outdated${query}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe('@1796083200');
    expect(answer.headers.get('sunset')).toBe('Wed, 01 Dec 2027 00:00:00 GMT');
  });

  it('is marked in the document, with the day of its removal and what to use instead', () =>
    expect(document.paths['/v2/trials/outdated']?.get).toMatchObject({
      deprecated: true,
      'x-sunset': '2027-12-01',
      description: expect.stringContaining(
        'Deprecated since 2026-12-01; it will be removed on 2027-12-01. Use `GET /jobs`.',
      ),
    }));
});
