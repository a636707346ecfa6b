/** Errors of the service: problem documents (RFC 9457) and OAuth errors (RFC 6749). */
import { PortalError } from './errors.ts';
import type { components, operations } from './schema.ts';

type ApiProblem = components['schemas']['Problem'];
/** Without `code` when the answer is not from the service, such as a proxy's page. */
export type Problem = Omit<ApiProblem, 'code'> & Partial<Pick<ApiProblem, 'code'>>;
/** One input error; `pointer` is a JSON Pointer into the request body, or into the part named by `in`. */
export type Fault = NonNullable<Problem['errors']>[number];

export type OperationId = keyof operations;

/** The problem documents of an operation, discriminated by `code`. */
export type ProblemOf<Id extends OperationId> = operations[Id]['responses'] extends {
  default: { content: { 'application/problem+json': infer P } };
}
  ? P
  : ApiProblem;

export type ProblemCode = ApiProblem['code'];

export class PortalProblem extends PortalError {
  override readonly name = 'PortalProblem';
  readonly status: number;
  /** The address of a page about this type of problem, such as `https://…/v2/problems/invalid-input`. */
  readonly type: string;
  /** Such as `invalid-input`; undefined when the answer was no problem document, such as a proxy's page. */
  readonly code: ProblemCode | undefined;
  /** The id of the operation; undefined for a raw call. */
  readonly operation: string | undefined;
  readonly title: string;
  readonly detail: string;
  /** All input errors; empty for other problems. */
  readonly errors: readonly Fault[];
  readonly instance: string | undefined;
  /** `Retry-After` of the response, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** The whole document, including members of specific problems such as `candidates`. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(document: Problem, { retryAfterSeconds, operation }: ProblemContext = {}) {
    super([document.detail, ...(document.errors ?? []).map(describeFault)].join('\n'));
    this.status = document.status;
    this.type = document.type;
    this.code = document.code;
    this.operation = operation;
    this.title = document.title;
    this.detail = document.detail;
    this.errors = document.errors ?? [];
    this.instance = document.instance;
    this.retryAfterSeconds = retryAfterSeconds;
    this.document = { ...document };
  }
}

const describeFault = ({ in: part, pointer, detail }: Fault): string => `  ${part ?? 'body'} ${pointer}: ${detail}`;

interface ProblemContext {
  retryAfterSeconds?: number | undefined;
  operation?: string | undefined;
}

/** Whether the error is a problem of the operation: `document` then has the members of its problems. */
export const isProblemOf = <Id extends OperationId>(
  error: unknown,
  operation: Id,
): error is PortalProblem & { document: ProblemOf<Id> } =>
  error instanceof PortalProblem && error.operation === operation && error.code !== undefined;

/** Reads the problem of a response; uses the status if the body is no problem document, such as a proxy's page. */
export async function problemOf(response: Response, operation?: string): Promise<PortalProblem> {
  const text = await response.text().catch(() => '');
  return problemFrom(response, parseJson(text), operation);
}

/** @param body the parsed body of the response */
export function problemFrom(response: Response, body: unknown, operation?: string): PortalProblem {
  const { status, statusText, headers } = response;
  const title = statusText || `HTTP ${status}`;
  const unknown: Problem = { type: 'about:blank', title, status, detail: `The service answered ${status}.` };
  const document = isProblem(body)
    ? body
    : isOauthError(body)
      ? { ...unknown, detail: body.error_description }
      : unknown;
  return new PortalProblem(document, { retryAfterSeconds: retryAfterSeconds(headers), operation });
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. */
export function retryAfterSeconds(headers: Headers, now = Date.now()): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  'title' in value &&
  'detail' in value &&
  typeof value.detail === 'string' &&
  'status' in value &&
  typeof value.status === 'number';

const isOauthError = (value: unknown): value is { error_description: string } =>
  typeof value === 'object' &&
  value !== null &&
  'error_description' in value &&
  typeof value.error_description === 'string';
