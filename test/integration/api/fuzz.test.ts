/**
 * Sends valid and invalid requests, generated from the API document, to every operation. No request may hang, and every
 * response must be documented and not a failure of the service. The seed is fixed, so that a change does not fail by
 * chance; `npm run chaos` sends the requests of a random seed. `FUZZ_SEED=… FUZZ_RUNS=… npx vitest run …` repeats them. On a failure fast-check prints the smallest request.
 */
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadOperations } from '../../../api/http/load-operations.ts';
import { discoverContracts } from '../../../core/jobs/discover.ts';
import { createSyncStates } from '../../../core/sync/states.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { broken, type Definitions, type Json, type JsonSchema, junk, valid } from '../../support/from-json-schema.ts';
import { resolvedResponses } from '../../support/resolved-responses.ts';
import { useSandbox } from '../../support/sandbox.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';
import { openTrials, trialContracts, trialOperations } from '../../support/trial-jobs.ts';

const seed = Number(process.env.FUZZ_SEED ?? 1);
/** Requests to each operation. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 15);
const answerTimeoutMs = 60_000;

const Schema = z.record(z.string(), z.unknown());
const Content = z.record(z.string(), z.object({ schema: Schema }));
const Described = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ in: z.string(), name: z.string(), schema: Schema })).default([]),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional() })),
});
type Described = z.infer<typeof Described>;
const ApiDocument = z.object({
  paths: z.record(z.string(), z.record(z.string(), Described)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});

interface Request {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const sandbox = useSandbox();
let service: TestService;
let client: ApiClient;
let document: z.infer<typeof ApiDocument>;
/** Ids of existing jobs and clients; with random ids every request would return 404. */
const knownIds: string[] = [];
/** Valid bodies, because generated bodies are rarely valid; invalid variants are sent too. */
const validBodies: Record<string, Json> = {
  'portal.createPdf': {
    list: [{ reference_number: 'R-1', title_en: 'A home', photo: ['x'] }],
    startBy: '2040-01-01T00:00:00Z',
  },
  'portal.createNewPdf': { list: [{ reference_number: 'R-1', title_en: 'A home' }], validateOnly: true },
  'oauth.createClient': { name: 'Fuzz', scopes: ['pdf'] },
  'crm.createLead': { title: 'Fuzz', name: 'Sara Haddad', phone: '050 123 4561', utm: { source: 'x', campaign: 'y' } },
  'crm.takeLandingPageLead': { name: 'Sara', email: 'sara@example.com', consent: true, utm: { source: 'x' } },
  'crm.tryLocation': { id: 1, type: 'CITY', name: 'Dubai', tree: [{ id: 1, type: 'CITY', name: 'Dubai' }] },
  'links.createCampaign': { name: 'Fuzz', url: 'https://example.com/', utm: { source: 'x' } },
  'portal.updateLeads': { id: 1, fields: { title: 'x', utm: { source: 'x' } } },
};
const trials = openTrials();
const operations = await loadOperations();

beforeAll(async () => {
  process.stdout.write(`\n FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns}\n\n`);
  await sandbox.control.settings('crm', { callLimit: false, operatingLimitSeconds: 0 });
  service = await startTestService('fuzz', {
    operations: trialOperations,
    contracts: new Map([...trialContracts, ...(await discoverContracts())]),
    sandboxUrl: sandbox.url,
    env: {
      CRM_REQUESTS_PER_SECOND: '100',
      CRM_REQUEST_BURST: '10000',
      MAX_WAIT_SECONDS: '0',
      REQUESTS_PER_MINUTE: '10000000',
      TOKENS_PER_MINUTE: '1000000',
      EVENT_HEARTBEAT_MS: '50',
    },
  });
  // The locations are synchronised, and the list is empty.
  await createSyncStates(service.database).write('listing-portal-locations', { asOf: new Date() });
  client = await service.client([...service.scopes, 'trial']);
  service.startWorker(trials.servedKinds);
  trials.when('file', async () => {
    const about = { contentType: 'application/pdf', fileName: 'trial.pdf' };
    const { size, sha256 } = await service.results.put('fuzz.pdf', Buffer.from('0123456789'), about);
    return { result: { said: 'a file' }, file: { key: 'fuzz.pdf', bytes: size, sha256, ...about } };
  });
  for (const name of ['report', 'file']) {
    const { id } = await client.requestJob('POST', '/trials/trial', { body: { name } });
    knownIds.push((await client.waitForJob(id)).id);
  }
  knownIds.push((await service.client([], 'fuzzed')).clientId);
  const answer = await fetch(`${service.origin}/v2/openapi.json`);
  document = ApiDocument.parse(resolvedResponses(await answer.json()));
});
afterAll(async () => {
  await service?.close();
});

describe('every operation of the API document', () => {
  it.each(operations.map(({ id }) => id))('%s returns documented responses to any request', async id => {
    const { method, path, described } = describedOperation(id);
    const right = validBodies[id];
    if (right !== undefined) {
      const answer = await send(method, {
        path,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(right),
      });
      expect(answer.status, answer.text).toBeLessThan(300);
    }
    const outcome = await fc.check(
      fc.asyncProperty(requests(path, described, right), async request => {
        expectDocumented(described, await send(method, request));
      }),
      { numRuns, seed },
    );
    expect(outcome.failed ? fc.defaultReportMessage(outcome) : '').toBe('');
  });
});

function describedOperation(id: string): { method: string; path: string; described: Described } {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      if (described.operationId === id) return { method: method.toUpperCase(), path, described };
    }
  }
  throw new Error(`the document does not describe ${id}`);
}

const definitions = (): Definitions => document.components.schemas;

function requests(path: string, { parameters, requestBody }: Described, right: Json | undefined): Arbitrary<Request> {
  const [contentType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const named = (place: string) => parameters.filter(parameter => parameter.in === place);
  return fc
    .record({
      ids: fc.record(Object.fromEntries(named('path').map(({ name }) => [name, pathPart()]))),
      query: fc.record(Object.fromEntries(named('query').map(({ name, schema }) => [name, parameter(schema)])), {
        requiredKeys: [],
      }),
      headers: headers(),
      body: contentType === undefined ? fc.constant(undefined) : bodies(contentType, media?.schema ?? {}, right),
      // Not UTF-8, a NUL, an unknown parameter.
      added: mostly('', fc.constantFrom('x=%ED%A0%80', '%FF', 'search=%00', 'limti=1', 'a&&=')),
      contentType: mostly(contentType, fc.constantFrom('text/plain', 'application/xml', 'application/json', '', ';')),
    })
    .map(({ ids, query, headers, body, added, contentType: type }) => {
      const search = new URLSearchParams();
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, textOf(value));
      return {
        path:
          path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(textOf(ids[name] ?? null))) +
          asQuery(search, added),
        headers: { ...headers, ...(body !== undefined && type !== undefined && { 'content-type': type }) },
        body,
      };
    });
}

function asQuery(search: URLSearchParams, added: string): string {
  const parameters = [search.toString(), added].filter(Boolean).join('&');
  return parameters === '' ? '' : `?${parameters}`;
}

/** `usual` in four of five cases, so that most requests pass the first check. */
const mostly = <T, U>(usual: T, otherwise: Arbitrary<U>): Arbitrary<T | U> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: otherwise });

const pathPart = (): Arbitrary<Json> =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom<Json>(...knownIds) }, { weight: 1, arbitrary: short(junk) });
const parameter = (schema: JsonSchema): Arbitrary<Json> =>
  fc.oneof({ weight: 6, arbitrary: valid(schema, definitions()) }, { weight: 1, arbitrary: short(junk) });
/** Limits the length of URLs. */
const short = (value: Arbitrary<Json>): Arbitrary<Json> => value.map(made => textOf(made).slice(0, 2_000));

const headers = (): Arbitrary<Record<string, string>> =>
  fc.record(
    {
      accept: fc.constantFrom('application/json', 'application/pdf', '*/*', 'text/html', ';;', 'application/pdf;q=0'),
      prefer: fc.constantFrom('wait=1', 'respond-async', 'wait=soon', 'handling=strict, odd', ',,=', 'wait="'),
      'idempotency-key': mostly('one', fc.constantFrom('"two"', '"', 'x y', 'x'.repeat(300))),
      range: fc.constantFrom('bytes=0-1', 'bytes=-1', 'bytes=99-', 'bytes=5-1', 'bytes=a', 'lines=1-2'),
      'if-none-match': fc.constantFrom('*', '"x"', 'W/"x"', ',,'),
      authorization: mostly(
        `Bearer ${client.accessToken}`,
        fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp5', 'x'),
      ),
      'last-event-id': fc.constantFrom('0', '-1', 'x', '99999999999999999999'),
    },
    { requiredKeys: [] },
  );

function bodies(contentType: string, schema: JsonSchema, known: Json | undefined): Arbitrary<string | undefined> {
  const made = valid(schema, definitions());
  const right = known === undefined ? made : fc.oneof(fc.constant(known), made);
  const encode = (value: Json): string =>
    contentType === 'application/x-www-form-urlencoded' ? asForm(value) : JSON.stringify(value);
  return fc.oneof(
    { weight: 4, arbitrary: right.map(encode) },
    { weight: 4, arbitrary: broken(right).map(encode) },
    { weight: 1, arbitrary: junk.map(encode) },
    { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constantFrom('', '{', '[1,', '{"a":1}}', '\u0000')) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

function asForm(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return textOf(value);
  return new URLSearchParams(Object.entries(value).map(([name, field]) => [name, textOf(field)])).toString();
}

const textOf = (value: Json): string =>
  typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : JSON.stringify(value);

interface Answer {
  status: number;
  contentType: string | undefined;
  text: string;
}

async function send(method: string, { path, headers, body }: Request): Promise<Answer> {
  const response = await fetch(service.origin + path, {
    method,
    headers: { authorization: `Bearer ${client.accessToken}`, ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type')?.split(';')[0],
    text: await response.text(),
  };
}

function expectDocumented({ responses }: Described, { status, contentType, text }: Answer): void {
  const response = `${status} ${contentType} ${text.slice(0, 500)}`;
  // A 5xx status is allowed for failures of vendor systems only.
  if (status >= 500) expect(text, response).toMatch(/problems\/(upstream-|system-not-configured)/);
  const declared = responses[status] ?? (status >= 400 ? responses.default : undefined);
  expect(declared, `not in the document: ${response}`).toBeDefined();
  const content = declared?.content;
  if (content === undefined) {
    expect(text, response).toBe('');
    return;
  }
  expect(Object.keys(content), response).toContain(contentType);
  const schema = content[contentType ?? '']?.schema;
  if (!schema || !/json/.test(contentType ?? '')) return;
  const checked = schemaOf(schema).safeParse(JSON.parse(text));
  expect(checked.error?.issues, response).toBeUndefined();
}

const timePattern = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`;
const isTime = (value: unknown): value is object =>
  z.object({ format: z.literal('date-time') }).safeParse(value).success;

/** By JSON Schema as text: operations share most schemas of errors. */
const parsers = new Map<string, z.ZodType>();
function schemaOf(schema: JsonSchema): z.ZodType {
  const key = JSON.stringify(schema);
  const known = parsers.get(key);
  if (known) return known;
  const local: unknown = JSON.parse(
    JSON.stringify({ ...schema, $defs: definitionsIn(key) }, (_, value) =>
      // All times have one format.
      value === 'date-time' ? undefined : isTime(value) ? { ...value, pattern: timePattern } : value,
    ).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  const made = z.fromJSONSchema(Schema.parse(local));
  parsers.set(key, made);
  return made;
}

/** The definitions that a schema refers to, directly or through others. */
function definitionsIn(text: string, found: Record<string, JsonSchema> = {}): Definitions {
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    const definition = definitions()[name];
    if (!definition || found[name]) continue;
    found[name] = definition;
    definitionsIn(JSON.stringify(definition), found);
  }
  return found;
}
