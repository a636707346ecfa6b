/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a repeated request with the same key, client and
 * operation gets the first answer again, for 24 hours. A request that starts a job is bound to a job id first, so that
 * a crash half-way cannot start a second job; repeats get the current state of that job. For other requests the answer
 * is stored if it is a success; a failure releases the key.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseItem } from 'structured-headers';
import type { KeyedRequest, StoredResponse } from '../../core/idempotency/keys.ts';
import { newJobId } from '../../core/jobs/contract.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Answer, Call, Input, Operation, RequestSchemas } from '../http/operation.ts';

const idempotencyHeader = 'idempotency-key';
const retryAfterSeconds = 2;

/** Runs the operation, or replays its stored answer. */
export async function answerOnce<R extends RequestSchemas>(
  operation: Operation<R>,
  input: Input<R>,
  call: Call,
): Promise<Answer> {
  const header = call.request.headers[idempotencyHeader]?.toString();
  if (header === undefined || !operation.idempotent || onlyValidates(call))
    return operation.handle(input, call);
  const request: KeyedRequest = {
    clientId: call.client.clientId,
    operationId: operation.id,
    key: idempotencyKey(header),
    fingerprint: fingerprintOf(call),
    jobId: operation.startsJob === undefined ? null : newJobId(operation.startsJob),
  };
  const claim = await call.services.idempotency.claim(request);
  if (claim.fingerprint !== request.fingerprint) throw otherRequest();
  if (claim.answer) return replayed(claim.answer, operation);
  if (claim.jobId !== null) {
    const job = claim.jobId === request.jobId ? undefined : await call.services.records.find(claim.jobId);
    const { jobId, claimId } = claim;
    const standsFor = async (otherId: string) => {
      if (claimId !== undefined) await call.services.idempotency.bind(request, claimId, otherId);
    };
    const bound = { ...call, bound: { jobId, job, standsFor } };
    if (job) return marked(await operation.handle(input, bound));
    if (claimId !== undefined) return startOnce(operation, input, bound, { ...request, jobId }, claimId);
  } else if (claim.claimId !== undefined) {
    return storeAnswer(operation, input, call, request, claim.claimId);
  }
  throw new ServiceError('conflict', 'The first request with this Idempotency-Key is still in progress.', {
    retryAfterSeconds,
  });
}

/** The existence of the job marks the key as used; a failure before that releases it. */
async function startOnce<R extends RequestSchemas>(
  operation: Operation<R>,
  input: Input<R>,
  call: Call,
  request: KeyedRequest,
  claimId: string,
): Promise<Answer> {
  const { records, idempotency } = call.services;
  try {
    return await operation.handle(input, call);
  } catch (error) {
    if (!(await records.find(request.jobId ?? ''))) await idempotency.release(request, claimId);
    throw error;
  }
}

async function storeAnswer<R extends RequestSchemas>(
  operation: Operation<R>,
  input: Input<R>,
  call: Call,
  request: KeyedRequest,
  claimId: string,
): Promise<Answer> {
  const { idempotency } = call.services;
  const answer = await operation.handle(input, call).catch(async (error: unknown) => {
    await idempotency.release(request, claimId);
    throw error;
  });
  if (answer.status >= 400) await idempotency.release(request, claimId);
  else await idempotency.settle(request, claimId, storableAnswer(answer, operation));
  return answer;
}

function storableAnswer(
  { status, headers = {}, body }: Answer,
  operation: Operation<RequestSchemas>,
): StoredResponse {
  if (body instanceof Readable || Buffer.isBuffer(body)) {
    throw new TypeError(`${operation.id} answers bytes, which cannot be stored for repeated requests`);
  }
  return { status, headers, body: operation.idempotent === 'secret' ? null : (body ?? null) };
}

function replayed({ status, headers, body }: StoredResponse, operation: Operation<RequestSchemas>): Answer {
  if (operation.idempotent === 'secret') {
    throw new ServiceError(
      'conflict',
      'This request was already answered. Its answer contained a secret, which is shown only once.',
      { headers: { 'idempotent-replayed': 'true' } },
    );
  }
  return marked({ status, headers, ...(typeof body === 'object' && body !== null && { body }) });
}

const marked = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'idempotent-replayed': 'true' },
});

const otherRequest = (): ServiceError =>
  new ServiceError('invalid-input', 'This Idempotency-Key was used with a different request; use a new key.');

/** A validation has no effect, so it does not use up the key. */
function onlyValidates({ request: { body } }: Call): boolean {
  return typeof body === 'object' && body !== null && 'validateOnly' in body && body.validateOnly === true;
}

/**
 * Accepts an RFC 9651 string, as the draft requires, and a bare key, as most clients send it.
 * @throws ServiceError bad-request
 */
function idempotencyKey(header: string): string {
  const quoted = header.startsWith('"');
  const key = quoted ? quotedKey(header) : header;
  if (key !== undefined && (quoted ? /^[\x20-\x7e]{1,255}$/ : /^[\x21-\x7e]{1,255}$/).test(key)) return key;
  throw new ServiceError(
    'bad-request',
    'Idempotency-Key must have 1 to 255 printable ASCII characters, in quotes or without spaces.',
  );
}

function quotedKey(header: string): string | undefined {
  try {
    const [key] = parseItem(header);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Hashes the raw input, because operations may read members that are not in the schemas. Ignores member order. */
function fingerprintOf({ request: { params, query, body } }: Call): string {
  return createHash('sha256')
    .update(JSON.stringify([params, query, body], sortMembers))
    .digest('hex');
}

const sortMembers = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
