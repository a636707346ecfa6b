/** Definition of an operation: route, scope, input and output schemas, handler. */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SystemName } from '../../core/integrations/kit/upstream-error.ts';
import type { JobRecord } from '../../core/jobs/record.ts';
import type { TokenHolder } from '../../core/oauth/tokens.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import type { ErrorCode, Fault, ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';
import type { PageLanguage } from './request-headers.ts';
import type { HeaderName } from './response-headers.ts';

/** Accepts any live token: the operation shows a client only its own data. */
export const anyScope = '*';

export interface RequestSchemas {
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Input<R extends RequestSchemas> {
  params: Parsed<R['params']>;
  query: Parsed<R['query']>;
  body: Parsed<R['body']>;
}

export interface Call {
  /** The token's client; without id and scopes on a public operation. */
  client: TokenHolder;
  services: ApiServices;
  request: FastifyRequest;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The job bound to the request's `Idempotency-Key`; `job` is undefined until it exists. */
  bound?: {
    jobId: string;
    job: JobRecord | undefined;
    /** Binds the key to another, existing job: repeated requests are answered with it too. */
    bindTo(jobId: string): Promise<void>;
  };
}

export interface Answer {
  status: number;
  /** An answer without `cache-control` is not cached. */
  headers?: Record<string, string>;
  /** An object is sent as JSON; a buffer or stream needs a content-type header. */
  body?: object | Buffer | Readable;
}

/** A response in the API document. Its problems follow from its declaration (api/document/problem-responses.ts). */
export interface AnswerDescription {
  description: string;
  /** Without a schema the body is binary or empty; with an error status: a problem document. */
  schema?: z.ZodType;
  /** Default: JSON. */
  contentType?: string;
  /** An alternative content type of the same status, such as application/pdf, or several. */
  orContentType?: string | readonly string[];
  /** Overrides the examples of the schema. */
  example?: object;
  /** Headers of this response besides those that follow from the declaration (response-headers.ts). */
  headers?: readonly HeaderName[];
}

/** An operation that will be removed: its responses have `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
export interface Deprecation {
  /** First day of the deprecation, such as 2026-12-01. */
  since: string;
  /** Day of the removal. */
  sunset: string;
  /** A sentence: what to use instead. */
  instead: string;
}

export interface Operation<R extends RequestSchemas = RequestSchemas> {
  /** One sentence. */
  summary: string;
  /** `group.verbNoun`; used in the API document, logs, metrics and tests. */
  id: string;
  /** Method and full path below the base path, with `{name}` for parameters, such as `GET /jobs/{id}`. */
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`;
  /** Required scope; `anyScope`: any live token; null: public. */
  scope: string | null;
  /**
   * `oauth`: takes a form and answers errors as RFC 6749 section 5.2 requires. `file`: takes multipart/form-data with one
   * file in the field `file` (plugins/multipart.ts). `page-form`: takes the form of an HTML page. `webhook`: takes JSON, and keeps
   * its bytes for the signature (`request.rawBody`). Default: takes JSON and answers problem documents.
   */
  style?: 'oauth' | 'file' | 'page-form' | 'webhook';
  /** Accepts an `Idempotency-Key`. `secret`: the answer is not stored; a repeated request gets 409. */
  idempotent?: true | 'secret';
  /** Kind of the job that it starts. */
  startsJob?: string;
  /** The outside systems that it calls. */
  calls?: readonly SystemName[];
  /** The problems that it raises by its own rules, each with the reason. */
  problems?: Partial<Record<ErrorCode, string>>;
  deprecated?: Deprecation;
  request: R;
  answers: Record<number, AnswerDescription>;
  /** Faults that only the running service can find, such as unknown job kinds; reported with those of the schemas. */
  findFaults?(given: Pick<FastifyRequest, 'query'>, services: ApiServices): Fault[];
  handle(input: Input<R>, call: Call): Promise<Answer>;
  /** Replaces the problem document for browsers (`Accept: text/html`), for addresses that people open. */
  errorPage?(error: ServiceError, language: PageLanguage): Promise<Answer>;
}

/** The problem of operations that change an outside system once for each `Idempotency-Key`. */
export const effectPending = {
  'effect-pending': 'An earlier attempt of the same change may still take effect.',
} as const;

export function defineOperation<R extends RequestSchemas>(operation: Operation<R>): Operation<R> {
  return operation;
}

/** A JSON answer with status 200. */
export const ok = (body: object, headers: Record<string, string> = {}): Answer => ({ status: 200, headers, body });

/** A JSON answer with status 201. @param path of the created object, below the base path */
export const created = ({ services }: Call, path: string, body: object): Answer => ({
  status: 201,
  headers: { location: services.config.BASE_PATH + path },
  body,
});

/** The client, for the audit trail. */
export const actorOf = ({ client, request }: Call): Actor => ({
  kind: 'client',
  name: client.clientId,
  requestId: request.id,
});

/** The request's `Idempotency-Key`, or a random key. */
export const idempotencyKeyOf = ({ request }: Pick<Call, 'request'>): string =>
  request.headers['idempotency-key']?.toString() ?? randomUUID();

/** An error answer for which browsers get a page. */
export const orPage = { description: 'Browsers get a page.', orContentType: 'text/html' };
