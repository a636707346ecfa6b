/** The error responses of the API document: one for each status, with its problem types. */
import { z } from 'zod';
import { ErrorCode, errorKinds, type PublicProblem } from '../../core/runtime/errors.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { OauthErrorCode } from '../http/oauth-error.ts';
import { anyScope, type Operation } from '../http/operation.ts';
import { type JsonObject, toJson } from './examples.ts';
import { headersOf } from './headers.ts';

export const OauthFault = z
  .object({
    error: OauthErrorCode.describe('The code of RFC 6749 section 5.2.'),
    error_description: z.string().describe('What was wrong, and what to do.'),
  })
  .meta({ id: 'OauthError' });

const oauthProblems: readonly (readonly [status: number, error: OauthErrorCode, description: string])[] = [
  [400, 'invalid_request', '`invalid_request`, `unsupported_grant_type` or `invalid_scope`: the request is wrong.'],
  [401, 'invalid_client', '`invalid_client`: the client is unknown or inactive, or its secret is wrong.'],
  [429, 'temporarily_unavailable', '`temporarily_unavailable`: too many requests; try again after `Retry-After`.'],
  [500, 'server_error', '`server_error`: the service failed; the log has the details.'],
  [503, 'temporarily_unavailable', '`temporarily_unavailable`: the service cannot work at present; try again.'],
];

interface ProblemResponse {
  status: number;
  /** Name of the component. */
  name: string;
  response: JsonObject;
}

/**
 * @param schemas of declared answers with an error status, which extend that of problems
 * @param baseUrl the service's address with its base path
 */
export function problemResponses(
  operation: Operation,
  schemas: ReadonlyMap<number, JsonObject>,
  baseUrl: string,
): ProblemResponse[] {
  if (operation.style === 'oauth') return oauthProblems.map(problem => oauthResponse(operation, ...problem));
  const byStatus = groupBy(problemsOf(operation), ([code]) => errorKinds[code].status);
  return [...byStatus].map(([status, problems]) => {
    const { description, orContentType, example } = operation.answers[status] ?? {};
    const codes = problems.map(([code]) => code);
    const narrowed = { type: 'object', properties: { code: { enum: codes } } };
    const examples = problems.map(([code, reason]) => [
      code,
      { value: { ...problemExample(code, reason, baseUrl), ...(example && toJson(example)) } },
    ]);
    const media = {
      schema: schemas.get(status) ?? { allOf: [{ $ref: '#/components/schemas/Problem' }, narrowed] },
      examples: Object.fromEntries(examples),
    };
    return {
      status,
      name: codes.join('-'),
      response: {
        description: [
          ...(description ? [description] : []),
          ...problems.map(([code, reason]) => `\`${code}\`: ${reason}`),
        ].join('\n\n'),
        headers: headersOf(operation, status, codes),
        content: {
          'application/problem+json': media,
          ...Object.fromEntries([orContentType ?? []].flat().map(type => [type, { schema: { type: 'string' } }])),
        },
      },
    };
  });
}

function oauthResponse(operation: Operation, status: number, error: OauthErrorCode, description: string) {
  const example = { error, error_description: description };
  const media = { schema: { $ref: '#/components/schemas/OauthError' }, example };
  const headers = headersOf(operation, status);
  return { status, name: `oauth-${error}`, response: { description, headers, content: { 'application/json': media } } };
}

function problemExample(code: ErrorCode, detail: string, baseUrl: string) {
  const { title, status } = errorKinds[code];
  const errors = [{ pointer: '/list/0/reference_number', detail: 'must not be empty' }];
  return {
    type: `${baseUrl}/problems/${code}`,
    code,
    title,
    status,
    detail,
    instance: '/v2/apps/portal/v1/pdf',
    ...(code === 'invalid-input' && { errors }),
  } satisfies PublicProblem;
}

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
    ({ route }) => !route.startsWith('GET '),
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
    ({ startsJob, route }) => startsJob !== undefined && route.startsWith('GET '),
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
