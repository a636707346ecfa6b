/** An API client that checks every response against the operation's declaration: status, content type, schema. */
import { expect } from 'vitest';
import { z } from 'zod';
import { headersOf } from '../../api/document/headers.ts';
import { OauthFault, problemsOf } from '../../api/document/problem-responses.ts';
import type { LoadedOperation } from '../../api/http/load-operations.ts';
import type { AnswerDescription } from '../../api/http/operation.ts';
import { isFinal } from '../../core/jobs/record.ts';
import { JobResource } from '../../core/jobs/resource.ts';
import { ErrorCode, PublicProblem } from '../../core/runtime/errors.ts';
import { pollPause } from './poll-pause.ts';

export interface Reply {
  status: number;
  headers: Headers;
  /** Parsed JSON; bytes for other content types. */
  body: unknown;
  bytes: Buffer;
}

export interface RequestOptions {
  headers?: Record<string, string>;
  /** An object is sent as JSON, a string or form unchanged. */
  body?: object | string | URLSearchParams | FormData;
  signal?: AbortSignal;
}

export interface ApiClient {
  clientId: string;
  accessToken: string;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  /** Sends a request and parses the response as a job. @throws Error for a status of 300 or more */
  requestJob(method: string, path: string, options?: RequestOptions): Promise<JobResource>;
  job(id: string): Promise<JobResource>;
  /** Waits until the job satisfies the condition; default: until it has ended. */
  waitForJob(id: string, condition?: (job: JobResource) => boolean): Promise<JobResource>;
  /** Waits until the job has ended; releases it if it is held, as a first read of the listing portal is. */
  releasedJob(id: string): Promise<JobResource>;
}

export const hasEnded = (job: JobResource): boolean => isFinal(job.state);

/** A generous limit; tests of time limits measure the time themselves. */
const timeoutMs = 240_000;

export function openApiClient(given: {
  origin: string;
  operations: readonly LoadedOperation[];
  accessToken?: string;
  clientId?: string;
  basePath?: string;
}): ApiClient {
  const { origin, operations, accessToken = '', clientId = '', basePath = '/v2' } = given;

  const request: ApiClient['request'] = async (method, path, { headers = {}, body, signal } = {}) => {
    const response = await fetch(`${origin}${basePath}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(accessToken && { authorization: `Bearer ${accessToken}` }),
        ...(isJson(body) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson(body) ? JSON.stringify(body) : body }),
      ...(signal && { signal }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJsonResponse = /json/.test(response.headers.get('content-type') ?? '');
    const reply = {
      status: response.status,
      headers: response.headers,
      bytes,
      body: isJsonResponse && bytes.length > 0 ? (JSON.parse(bytes.toString()) as unknown) : bytes,
    };
    if (method !== 'HEAD') checkAgainstDeclaration(operations, method, path, reply);
    return reply;
  };

  const requestJob: ApiClient['requestJob'] = async (method, path, given) => {
    const reply = await request(method, path, given);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.bytes}`);
    return JobResource.parse(reply.body);
  };
  const job = (id: string): Promise<JobResource> => requestJob('GET', `/jobs/${id}`);

  const waitForJob: ApiClient['waitForJob'] = async (id, condition = hasEnded) => {
    const startedAt = Date.now();
    for (;;) {
      const latest = await job(id);
      if (condition(latest)) return latest;
      if (hasEnded(latest) || Date.now() - startedAt > timeoutMs) {
        throw new Error(`the job did not reach the expected condition; it is ${JSON.stringify(latest)}`);
      }
      await pollPause(startedAt);
    }
  };

  return {
    clientId,
    accessToken,
    request,
    requestJob,
    job,
    waitForJob,
    async releasedJob(id) {
      const { state } = await waitForJob(id, job => job.state === 'held' || hasEnded(job));
      if (state === 'held') await requestJob('POST', `/jobs/${id}/release`);
      return await waitForJob(id);
    },
  };
}

const isJson = (body: RequestOptions['body']): body is object =>
  typeof body === 'object' && !(body instanceof URLSearchParams) && !(body instanceof FormData);

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const pattern = patterns.get(path) ?? new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
  patterns.set(path, pattern);
  return pattern;
}

function checkAgainstDeclaration(
  operations: readonly LoadedOperation[],
  method: string,
  path: string,
  reply: Reply,
): void {
  const [pathname] = path.split('?');
  const candidates = operations.filter(
    candidate => candidate.method === method && patternOf(candidate.path).test(pathname ?? ''),
  );
  // As in the router, a literal path takes precedence over one with a parameter.
  const operation = candidates.find(candidate => candidate.path === pathname) ?? candidates[0];
  const what = `${method} ${path} ${reply.status}`;
  const declared = operation?.answers[reply.status];
  if (reply.status < 400 || declared?.contentType !== undefined) {
    if (operation) expect(declared, `${what} is declared`).toBeDefined();
    if (declared) checkResponse(declared, reply, what);
  } else if (operation?.style === 'oauth') checkResponse(oauthFault, reply, what);
  else checkProblem(operation, reply, what);
  if (operation) checkHeaders(operation, reply, what);
}

const oauthFault: AnswerDescription = { description: 'RFC 6749 section 5.2.', schema: OauthFault };

function checkProblem(operation: LoadedOperation | undefined, reply: Reply, what: string): void {
  const { schema, orContentType } = operation?.answers[reply.status] ?? {};
  if (orContentType === 'text/html' && reply.headers.get('content-type')?.startsWith(orContentType)) return;
  const problem: AnswerDescription = {
    description: 'A problem document.',
    contentType: 'application/problem+json',
    schema: schema ?? PublicProblem,
  };
  checkResponse(problem, reply, what);
  if (operation) expect([...problemsOf(operation).keys()], what).toContain(codeOf(reply));
}

const codeOf = ({ body }: Reply): ErrorCode | undefined => z.object({ code: ErrorCode }).safeParse(body).data?.code;

/** Headers of the connection, and of pages for people. */
const undocumented =
  /^(date|connection|keep-alive|transfer-encoding|content-(type|length|security-policy)|referrer-policy|x-content-type-options|x-robots-tag)$/;

function checkHeaders(operation: LoadedOperation, reply: Reply, what: string): void {
  const code = codeOf(reply);
  const documented = Object.keys(headersOf(operation, reply.status, code && [code])).map(name => name.toLowerCase());
  const sent = [...reply.headers.keys()].filter(name => !undocumented.test(name));
  expect(
    sent.filter(name => !documented.includes(name)),
    `${what}: headers that are not documented`,
  ).toEqual([]);
}

function checkResponse(declared: AnswerDescription, reply: Reply, what: string): void {
  const type = reply.headers.get('content-type')?.split(';')[0];
  if ([declared.orContentType ?? []].flat().includes(type ?? '')) return;
  if (declared.schema === undefined && declared.contentType === undefined) {
    expect(reply.bytes.length, `${what} has no body`).toBe(0);
    return;
  }
  expect(type, `${what}: content type`).toBe(declared.contentType ?? 'application/json');
  if (declared.schema) expect(declared.schema.parse(reply.body), `${what}: body`).toEqual(reply.body);
}
