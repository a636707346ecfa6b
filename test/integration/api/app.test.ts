/** Request processing before the operation: authentication, routing, body validation and error responses. */
import { request } from 'node:http';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import pdfJob from '../../../workers/pdf/contract.ts';
import { type ApiClient, openApiClient } from '../../support/api-client.ts';
import { useClient, useService } from '../../support/test-service.ts';
import { trialContracts, trialOperations } from '../../support/trial-jobs.ts';

const service = useService('app', () => ({
  operations: trialOperations,
  contracts: new Map([...trialContracts, ['pdf', pdfJob]]),
}));
const client = useClient(service, ['trial', 'pdf']);
let anonymous: ApiClient;

const listing = { reference_number: 'REF-1', title_en: 'Villa' };

beforeAll(async () => {
  anonymous = openApiClient(service);
});

describe('authentication', () => {
  it('is not required for health, readiness, the API document and its page', async () => {
    for (const path of ['/health', '/health/ready', '/openapi.json', '/docs/']) {
      expect((await anonymous.request('GET', path)).status, path).toBe(200);
    }
  });

  it.each(['Bearer pst_unknown', 'Bearer', 'Bearer a b', 'Basic dXNlcjpwYXNz', 'pst_x', 'Bearer \u00e9'])(
    'returns 401 for the Authorization header %j',
    async authorization => {
      const { status, headers } = await anonymous.request('GET', '/jobs', { headers: { authorization } });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="portal-service"/);
    },
  );

  it('accepts the scheme in any case', async () => {
    const headers = { authorization: `bEaReR ${client.accessToken}` };
    expect((await anonymous.request('GET', '/jobs', { headers })).status).toBe(200);
  });
});

describe('routing', () => {
  it('serves every path also without the prefix', async () => {
    const bare = openApiClient({ ...service, accessToken: client.accessToken, basePath: '' });
    expect((await bare.request('GET', '/health')).status).toBe(200);
    expect((await bare.request('GET', '/openapi.json')).status).toBe(200);
    const started = await bare.requestJob('POST', '/trials/trial', { body: { name: 'bare' } });
    expect((await bare.job(started.id)).id).toBe(started.id);
    expect((await bare.request('GET', '/nothing')).body).toMatchObject({ instance: '/nothing' });
  });

  it('does not strip a prefix that is only part of a segment', async () => {
    expect((await fetch(`${service.origin}/v2health`)).status).toBe(404);
    expect((await fetch(`${service.origin}/v2docs`)).status).toBe(404);
  });

  it('returns 404 or 400 as a problem document for an unknown path, without a token', async () => {
    for (const path of ['/v2x', '/nothing', '/jobs/x/y', '/apps/portal/v1/pdf/x', '/%E0%A4%A/x']) {
      const { status, headers } = await anonymous.request('GET', path);
      expect([400, 404], path).toContain(status);
      expect(headers.get('content-type'), path).toContain('application/problem+json');
    }
  });

  it.each([
    ['PUT', '/jobs', 'GET, HEAD'],
    ['POST', '/jobs/x', 'DELETE, GET, HEAD'],
    ['GET', '/apps/portal/v1/pdf', 'POST'],
    ['DELETE', '/health', 'GET, HEAD'],
  ])('returns 405 with Allow for %s %s', async (method, path, allowed) => {
    const { status, headers } = await client.request(method, path);
    expect(status).toBe(405);
    expect(headers.get('allow')?.split(', ').sort().join(', ')).toBe(allowed);
  });
});

describe('a request body', () => {
  const post = (body: string, type = 'application/json', headers: Record<string, string> = {}) =>
    client.request('POST', '/apps/portal/v1/pdf', { body, headers: { 'content-type': type, ...headers } });

  it.each(['{', '{"list": [}', 'list', '{"a": 1} x', "{'list': []}"])(
    'that is not JSON returns 400: %j',
    async body => {
      const { status, body: problem } = await post(body);
      expect(status).toBe(400);
      expect(problem).toMatchObject({ detail: 'The body is not valid JSON.' });
    },
  );

  it('with prototype pollution returns 400', async () =>
    expect((await post('{"list": [], "__proto__": {"onError": "fail"}}')).status).toBe(400));

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'of the type %s returns 415',
    async type => expect((await post('list=x', type)).status).toBe(415),
  );

  it.each([
    ['/apps/portal/v1/pdf', 'application/json'],
    ['/apps/property-projects/v1/images', 'multipart/form-data'],
  ])('of another type returns 415 with the accepted type: %s', async (path, accepted) => {
    const writer = await service.client(['pdf', 'projects:write']);
    const answer = await writer.request('POST', path, { body: 'x', headers: { 'content-type': 'text/csv' } });
    expect(answer).toMatchObject({
      status: 415,
      body: { detail: `The content type text/csv is not supported; send ${accepted}.` },
    });
    expect(answer.headers.get('accept')).toBe(accepted);
  });

  it('over 5 MB returns 413, also without Content-Length', async () => {
    const list = [{ ...listing, description_en: 'x'.repeat(5 * 1024 * 1024) }];
    expect((await post(JSON.stringify({ list }))).status).toBe(413);
    expect(await chunkedStatus(Buffer.alloc(6 * 1024 * 1024, 'x'))).toBe(413);
  });

  it.each(['', 'null', '[]', '"list"', '7', '{}', '{"list": null}', '{"list": []}'])(
    'without listings returns 422: %j',
    async body => {
      const { status, body: problem } = await post(body);
      expect(status).toBe(422);
      expect(problem).toHaveProperty('errors.0.pointer');
    },
  );

  it('with errors returns all of them with pointers; nothing is stored or enqueued', async () => {
    const written = async () => {
      const { rows } = await service.database.execute(
        sql`select (select count(*)::int from job) as jobs, (select count(*)::int from job_input) as inputs`,
      );
      return { ...rows[0], messages: await service.queues.queue(pdfJob).getJobCounts('waiting') };
    };
    const before = await written();
    const { status, body } = await client.request('POST', '/apps/portal/v1/pdf', {
      body: {
        list: [
          { ...listing, city: ['Dubai'], photo: 'one.jpg' },
          { title_en: '', agent: { phone: false } },
        ],
        onError: 'ignore',
      },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      type: 'http://portal.example/v2/problems/invalid-input',
      instance: '/v2/apps/portal/v1/pdf',
      detail: 'The input has 6 faults.',
      errors: [
        { pointer: '/list/0/city' },
        { pointer: '/list/0/photo' },
        { pointer: '/list/1/reference_number' },
        { pointer: '/list/1/title_en' },
        { pointer: '/list/1/agent/phone' },
        { pointer: '/onError' },
      ],
    });
    expect(await written()).toEqual(before);
  });

  it('may contain unknown fields of listings, but no other unknown members', async () => {
    const list = [{ ...listing, colour: 'red', agent: { nmae: 'x' } }];
    expect((await client.request('POST', '/apps/portal/v1/pdf', { body: { list } })).status).toBe(202);
    const body = { list, campaign: { id: 7 } };
    expect(await client.request('POST', '/apps/portal/v1/pdf', { body })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/campaign' }] },
    });
  });

  it('may be empty with a JSON content type when it is optional', async () => {
    const { id } = await client.requestJob('POST', '/trials/trial', { body: { name: 'x' } });
    const headers = { 'content-type': 'application/json' };
    expect((await client.request('DELETE', `/jobs/${id}`, { headers })).status).toBe(200);
  });
});

describe('a response', () => {
  it('has X-Request-Id and does not reveal the server software', async () => {
    const { headers } = await anonymous.request('GET', '/health');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('server')).toBeNull();
  });

  it('with an error is not cacheable', async () =>
    expect((await anonymous.request('GET', '/jobs')).headers.get('cache-control')).toBe('no-store'));

  it('to an unexpected error does not contain the message of the error', async () => {
    const list = service.records.list;
    service.records.list = async () => {
      throw new TypeError('password hunter2 at core/jobs/repository/repository.ts');
    };
    const { status, bytes } = await client.request('GET', '/jobs');
    service.records.list = list;
    expect(status).toBe(500);
    expect(bytes.toString()).not.toMatch(/hunter2|jobs\.ts|TypeError/);
  });
});

/** Sends a chunked body without Content-Length. @returns the status */
function chunkedStatus(body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${service.origin}/v2/apps/portal/v1/pdf`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${client.accessToken}`, 'content-type': 'application/json' },
      },
      response => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    // The service may answer and close the connection before it has read the whole body.
    outgoing.on('error', reject);
    for (let at = 0; at < body.length; at += 65_536) outgoing.write(body.subarray(at, at + 65_536));
    outgoing.end();
  });
}
