/** The problem types of an operation: those that follow from its declaration, and its own. */
import { ErrorCode } from '../../core/runtime/errors.ts';
import { anyScope, type Operation } from '../http/operation.ts';

type Problems = Partial<Record<ErrorCode, string>>;

const rules: readonly (readonly [applies: (operation: Operation) => boolean, problems: Problems])[] = [
  [
    () => true,
    {
      'bad-request': 'The URL, a header or the body cannot be read.',
      'invalid-input': 'The input has faults; `errors` lists all of them, each with its JSON Pointer.',
      'internal-error': 'The service failed; the log has the details.',
    },
  ],
  [
    ({ scope }) => scope !== null,
    {
      unauthorized: 'No access token, or one that is unknown, expired or revoked.',
      'too-many-requests': 'The client has reached a limit, such as that of requests per minute.',
      'service-unavailable': 'The service cannot work at present, for instance without its database.',
      'storage-full': 'No space is left on a disk of the service.',
    },
  ],
  [
    ({ scope }) => scope !== null && scope !== anyScope,
    { 'insufficient-scope': 'The access token lacks the scope of the operation.' },
  ],
  [
    ({ request }) => request.params !== undefined,
    { 'not-found': 'There is no such object, or the client may not see it.' },
  ],
  [
    ({ method }) => method !== 'GET',
    {
      'payload-too-large': 'The body is too large.',
      'unsupported-media-type': 'The content type is not supported; `Accept` names the supported one.',
    },
  ],
  [
    ({ idempotent }) => idempotent !== undefined,
    {
      conflict: 'The first request with this `Idempotency-Key` is still in progress.',
      'idempotency-key-reused': 'The `Idempotency-Key` belongs to another request.',
    },
  ],
  [
    ({ idempotent }) => idempotent === 'secret',
    { conflict: 'Or it was answered, with a secret that is shown only once.' },
  ],
  [
    ({ calls = [] }) => calls.length > 0,
    {
      'upstream-failed': 'An outside system failed, or answered with an error.',
      'upstream-unavailable': 'Calls to an outside system are paused, because it fails or its rate limit is reached.',
      'system-not-configured': 'An outside system is not configured.',
      'upstream-timeout': 'An outside system did not answer in time.',
    },
  ],
  [
    ({ startsJob, method }) => startsJob !== undefined && method === 'GET',
    { forbidden: 'The request is a prefetch or a link preview, which must not start a job.' },
  ],
];

/** The reasons by code. */
export function problemsOf(operation: Operation): Map<ErrorCode, string> {
  const found = [
    ...rules.filter(([applies]) => applies(operation)).map(([, problems]) => problems),
    operation.problems,
  ];
  return new Map(
    ErrorCode.options.flatMap(code => {
      const reasons = found.flatMap(problems => problems?.[code] ?? []);
      return reasons.length === 0 ? [] : [[code, reasons.join(' ')] as const];
    }),
  );
}
