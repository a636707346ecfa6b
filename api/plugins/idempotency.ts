/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a repeated request with the same key, client and
 * operation gets the first answer again, for 24 hours. A request that starts a job is bound to a job id first, so that
 * a crash half-way cannot start a second job; repeats get the current state of that job. For other requests the answer
 * is stored if it is a success; a failure releases the key.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { parseItem } from 'structured-headers';
import { withHeartbeat } from '../../core/effects/lease.ts';
import type { KeyedRequest, StoredResponse } from '../../core/idempotency/keys.ts';
import { newJobId } from '../../core/jobs/contract.ts';
import { ServiceError } from '../../core/runtime/errors.ts';
import type { Answer, Call, Input, Operation, RequestSchemas } from '../http/operation.ts';
import type { ApiServices } from '../services.ts';

const retryAfterSeconds = 2;

/** Runs the operation, or replays its stored answer. */
export async function answerOnce<R extends RequestSchemas>(
  operation: Operation<R>,
  input: Input<R>,
  call: Call,
): Promise<Answer> {
  const { services, request } = call;
  const header = request.headers['idempotency-key']?.toString();
  const run = (bound: Call['bound']) => operation.handle(input, { ...call, ...(bound && { bound }) });
  if (header === undefined || !operation.idempotent || onlyValidates(request.body)) return run(undefined);
  const keyed: KeyedRequest = {
    clientId: call.client.clientId,
    operationId: operation.id,
    key: idempotencyKey(header),
    fingerprint: fingerprintOf(call),
    jobId: operation.startsJob === undefined ? null : newJobId(operation.startsJob),
  };
  const { fingerprint, answer, jobId, claimId } = await services.idempotency.claim(keyed);
  if (fingerprint !== keyed.fingerprint)
    throw new ServiceError(
      'idempotency-key-reused',
      'This Idempotency-Key belongs to another request: use a new key, or repeat that request unchanged.',
    );
  if (answer) return replayed(answer, operation);
  const whileRenewed = (id: string, work: () => Promise<Answer>) =>
    withHeartbeat({ renew: () => services.idempotency.renew(keyed, id) }, services, work);
  if (jobId !== null) {
    const job = jobId === keyed.jobId ? undefined : await services.records.find(jobId);
    const bindTo = async (otherId: string) => {
      if (claimId !== undefined) await services.idempotency.bind(keyed, claimId, otherId);
    };
    const bound = { jobId, job, bindTo };
    if (job) return marked(await run(bound));
    if (claimId !== undefined)
      return whileRenewed(claimId, () =>
        startOnce(() => run(bound), { request: { ...keyed, jobId }, id: claimId }, services),
      );
  } else if (claimId !== undefined) {
    return whileRenewed(claimId, () =>
      storeAnswer(() => run(undefined), { request: keyed, id: claimId }, operation, services),
    );
  }
  throw new ServiceError('conflict', 'The first request with this Idempotency-Key is still in progress.', {
    retryAfterSeconds,
  });
}

/** The right of this process to answer the request. */
interface Claim {
  request: KeyedRequest;
  id: string;
}

/** The existence of the job marks the key as used; a failure before that releases it. */
async function startOnce(
  run: () => Promise<Answer>,
  { request, id: claimId }: Claim,
  { records, idempotency }: ApiServices,
): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!(await records.find(request.jobId ?? ''))) await idempotency.release(request, claimId);
    throw error;
  }
}

async function storeAnswer(
  run: () => Promise<Answer>,
  { request, id: claimId }: Claim,
  operation: Operation<RequestSchemas>,
  { idempotency }: ApiServices,
): Promise<Answer> {
  const answer = await run().catch(async (error: unknown) => {
    await idempotency.release(request, claimId);
    throw error;
  });
  const { status, headers = {}, body = null } = answer;
  if (status >= 400) await idempotency.release(request, claimId);
  else if (body instanceof Readable || Buffer.isBuffer(body))
    throw new TypeError(`${operation.id} answers bytes, which cannot be stored for repeated requests`);
  else {
    const stored = operation.idempotent === 'secret' ? null : body;
    await idempotency.settle(request, claimId, { status, headers, body: stored });
  }
  return answer;
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

/** A validation has no effect, so it does not use up the key. */
export const onlyValidates = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'validateOnly' in body && body.validateOnly === true;

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
    'Idempotency-Key must be 1 to 255 ASCII characters, without spaces or in quotes.',
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
