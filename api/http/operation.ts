/** The one shape of an operation: a file under `operations/<group>/` states everything about itself, in this order. */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { JobRecord } from '../../core/jobs/record.ts';
import type { TokenHolder } from '../../core/oauth/tokens.ts';
import type { Actor } from '../../core/runtime/actor.ts';
import { type ErrorCode, type Problem, problemOf, ServiceError } from '../../core/runtime/errors.ts';
import type { ApiServices } from '../services.ts';

/** Stands for a scope where any live token will do, because the operation shows a client only what is its own. */
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

/** Who calls and what the handler may use. */
export interface Call {
  /** The token's holder; on an open operation nobody: its scopes are none. */
  client: TokenHolder;
  services: ApiServices;
  request: FastifyRequest;
  /** Aborted when the caller hangs up. */
  signal: AbortSignal;
  /** The job that the request's `Idempotency-Key` stands for, and the job itself when it is there already. */
  bound?: {
    jobId: string;
    job: JobRecord | undefined;
    /** The request was answered with another job, which was there already: its repeats are as well. */
    standsFor(jobId: string): Promise<void>;
  };
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON; a buffer or stream as it is, with its own content-type header. */
  body?: object | Buffer | Readable;
}

/** What an operation may answer besides problems, for the API document. */
export interface AnswerDescription {
  description: string;
  /** JSON, unless `contentType` says otherwise; without a schema the body is bytes or nothing. */
  schema?: z.ZodType;
  contentType?: string;
  /** Another content type the same status may carry, such as the PDF itself. */
  orContentType?: string;
  /** For the API document, where the schema's own examples do not say it. */
  example?: object;
}

export interface Operation<R extends RequestSchemas = RequestSchemas> {
  /** One sentence. */
  summary: string;
  /** `group.verbNoun`: the same string in the API document, logs and tests. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The full literal path below the base path, with `{name}` for parameters. */
  path: string;
  /** The scope a token needs; `anyScope`: any live token; null: open to all. */
  scope: string | null;
  /**
   * OAuth operations take forms and answer errors as RFC 6749 section 5.2; all others answer problems and take JSON, or
   * a form with one file, which the body's schema finds as `file` (plugins/one-file.ts).
   */
  style?: 'oauth' | 'file';
  /**
   * Takes an `Idempotency-Key`, because it creates something or enqueues. `secret`: its answer is never kept, so that
   * a repeat is told that it was answered, and not what.
   */
  idempotent?: true | 'secret';
  /** The kind of the job it starts. */
  startsJob?: string;
  request: R;
  answers: Record<number, AnswerDescription>;
  handle(input: Input<R>, call: Call): Promise<Answer>;
}

export function defineOperation<R extends RequestSchemas>(operation: Operation<R>): Operation<R> {
  return operation;
}

/** The caller, as the audit trail names it. */
export const actorOf = ({ client, request }: Call): Actor => ({
  kind: 'client',
  name: client.clientId,
  requestId: request.id,
});

export const problemExample = (code: ErrorCode, detail: string, path: string): Problem =>
  problemOf(new ServiceError(code, detail), `/v2${path}`);
