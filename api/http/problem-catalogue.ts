/** What each problem means to a caller, and what to do: the texts of the pages `/problems/<code>`. */
import type { ErrorCode } from '../../core/runtime/errors.ts';

interface Explanation {
  meaning: string;
  remedy: string;
}

const outsideSystem =
  'Repeat the request later; after `Retry-After` if the answer has it. `GET /health/systems` shows which system fails, and `upstream` names the call.';
const retryJob =
  'Retry the job with `POST /jobs/{id}/retry`; if it fails again, give its id to the operator of the service.';
const giveId =
  'Repeat the request. If it fails again, give the `X-Request-Id` of the answer to the operator of the service.';

export const explanations: Readonly<Record<ErrorCode, Explanation>> = {
  'bad-request': {
    meaning: 'The request cannot be read: its URL, its body or a header is malformed.',
    remedy: 'Correct the part that `detail` names. A body must be valid JSON in UTF-8.',
  },
  unauthorized: {
    meaning: 'The request has no access token, or one that is unknown, expired or revoked.',
    remedy: 'Request a token with `POST /oauth/token` and send it as `Authorization: Bearer …`.',
  },
  'insufficient-scope': {
    meaning: 'The token is valid, but the operation needs a scope that the token does not have.',
    remedy: 'Request a token with the scope that `detail` names. Your client must have been granted it.',
  },
  forbidden: {
    meaning: 'You may call the operation, but not with this input.',
    remedy: 'Read `detail`: it names the rule.',
  },
  'not-found': {
    meaning: 'There is nothing at this path, or nothing that your client may see.',
    remedy: 'Check the id and the path. Jobs of other clients are visible with the scope `jobs:all` only.',
  },
  'method-not-allowed': {
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use a method that `Allow` lists.',
  },
  'not-acceptable': {
    meaning: 'The answer is not available in a content type that `Accept` allows.',
    remedy: 'Send an `Accept` header with a content type of the API document.',
  },
  conflict: {
    meaning:
      'The request does not fit the current state: of the object, of a job that does the same work, or of an earlier request with the key.',
    remedy:
      'Read the current state, which `detail` names, and decide again. With `Retry-After`, repeat the request after that time.',
  },
  gone: {
    meaning: 'What you ask for existed and was deleted, such as an expired result.',
    remedy: 'Create it again: retry the job, or send the request again.',
  },
  'payload-too-large': { meaning: 'The body is larger than the service accepts.', remedy: 'Send less in one request.' },
  'unsupported-media-type': {
    meaning: 'The body has a content type that the operation does not take.',
    remedy: 'Send one of the content types in `Accept`, with the header `Content-Type`.',
  },
  'range-not-satisfiable': {
    meaning: 'The requested range begins after the end of the file.',
    remedy: 'Request a range within the size in `Content-Range`, or the whole file.',
  },
  'invalid-input': {
    meaning: 'The request can be read, but breaks rules of the operation.',
    remedy:
      'Correct each entry of `errors`: `pointer` is a JSON Pointer into the body, or into the part that `in` names.',
  },
  'idempotency-key-reused': {
    meaning: 'An earlier request with the same `Idempotency-Key` was different.',
    remedy: 'Use a new key for each new request, and the same key only to repeat a request without changes.',
  },
  'too-many-requests': {
    meaning: 'Your client has reached a limit: of requests in a minute, of unfinished jobs, or of failed logins.',
    remedy: 'Repeat the request after `Retry-After`. `RateLimit` shows what is left.',
  },
  'internal-error': { meaning: 'The service failed for a reason that it does not know.', remedy: giveId },
  'upstream-failed': {
    meaning: 'An outside system rejected the call, or answered with an error.',
    remedy: outsideSystem,
  },
  'upstream-timeout': { meaning: 'An outside system did not answer in time.', remedy: outsideSystem },
  'upstream-unavailable': {
    meaning: 'An outside system failed several times in a row, so the service pauses its calls to it for a short time.',
    remedy: outsideSystem,
  },
  'system-not-configured': {
    meaning: 'This installation has no access to the outside system that the operation needs.',
    remedy: 'Ask the operator of the service to set the system’s settings; repeating the request does not help.',
  },
  'waiting-for-system': {
    meaning: 'The job waits until an outside system works again. The wait uses no attempts and lasts up to six hours.',
    remedy: 'Nothing: the job continues by itself. `GET /jobs/{id}?include=explanation` says what it waits for.',
  },
  'effect-pending': {
    meaning: 'An earlier attempt of this request was interrupted, and may still take effect in an outside system.',
    remedy: 'Repeat the request after `Retry-After` with the same `Idempotency-Key`: then it is known.',
  },
  'storage-unavailable': {
    meaning: 'The store of results does not answer.',
    remedy: 'Repeat the request after `Retry-After`. Jobs wait without using attempts.',
  },
  'storage-full': {
    meaning: 'No space is left on a disk of the service.',
    remedy: 'The operator of the service has to free space. Jobs wait without using attempts.',
  },
  'service-unavailable': {
    meaning: 'A part of the service, such as its database, is not available now.',
    remedy: 'Repeat the request after `Retry-After`.',
  },
  'job-timed-out': {
    meaning: 'The job took longer than its kind may take, and was stopped.',
    remedy: 'Send less work in one request, then retry. `detail` says what it waited for.',
  },
  'job-cancelled': {
    meaning: 'The job was cancelled before it ended.',
    remedy: 'Retry the job if you need its result.',
  },
  'job-superseded': {
    meaning: 'A held job was dropped, because a later one did the same work and succeeded.',
    remedy: 'Nothing: the work is done.',
  },
  'job-not-released': {
    meaning: 'Nobody released the held job in time, so its plan is out of date.',
    remedy: 'Start the job again for a new plan.',
  },
  'job-not-begun': {
    meaning: 'No worker took the job before its `startBy`, so it was cancelled.',
    remedy: 'Start it again if it is still of use.',
  },
  'worker-died': { meaning: 'Several worker processes ended while they ran the job.', remedy: retryJob },
  'message-not-permitted': {
    meaning:
      'The message must not be sent: the recipient is on the do-not-call list, or the text or hour is not allowed.',
    remedy: 'Do not repeat the request; read `detail`.',
  },
  'photo-unavailable': {
    meaning: 'A photo of a listing cannot be fetched or read, and the request demanded all photos.',
    remedy: 'Correct the URL that `errors` names, or omit `strict` to print without the photo.',
  },
  'browser-failed': { meaning: 'The browser that prints brochures failed.', remedy: retryJob },
  'page-contract-broken': {
    meaning: 'The brochure had another number of pages than it must have, so it was not delivered.',
    remedy: 'Give the id of the job to the operator of the service.',
  },
};
