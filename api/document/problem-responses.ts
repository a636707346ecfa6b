/** The error responses of the API document: one for each status, with its problem types. */
import { z } from 'zod';
import { type ErrorCode, errorKinds, type PublicProblem } from '../../core/runtime/errors.ts';
import { groupBy } from '../../core/values/group-by.ts';
import { OauthErrorCode } from '../http/oauth-error.ts';
import type { Operation } from '../http/operation.ts';
import { type JsonObject, toJson } from './examples.ts';
import { headersOf } from './headers.ts';
import { problemsOf } from './problems.ts';

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
  /** Of the component. */
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
