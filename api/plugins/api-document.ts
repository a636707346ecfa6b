/** The OpenAPI 3.1 document, made from the operations' own zod schemas, and the page to read and try it. */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { Problem } from '../../core/job-record.ts';
import type { LoadedOperation } from '../load-operations.ts';
import { type AnswerDescription, anyScope, type Operation } from '../operation.ts';
import { describeScopes } from '../scopes.ts';
import type { ApiServices } from '../services.ts';
import { openToAll } from './bearer.ts';

declare module 'fastify' {
  interface FastifySchema {
    summary?: string;
    operationId?: string;
    tags?: readonly string[];
    security?: readonly Record<string, readonly string[]>[];
    consumes?: readonly string[];
    hide?: boolean;
  }
}

const OauthFault = z.object({ error: z.string(), error_description: z.string() }).meta({ id: 'OauthError' });
const ProblemDocument = Problem.meta({ id: 'Problem' });

export async function describeApi(
  app: FastifyInstance,
  services: ApiServices,
  operations: readonly LoadedOperation[],
): Promise<void> {
  const base = services.config.BASE_PATH;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Portal Service', version: '2', description: introduction },
      // The first is where the page itself came from: trying an operation there crosses no origin.
      servers: [{ url: '/' }, { url: services.publicUrl }],
      components: {
        securitySchemes: {
          oauth: {
            type: 'oauth2',
            flows: {
              clientCredentials: { tokenUrl: `${base}/oauth/token`, scopes: describeScopes(operations) },
            },
          },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig: { unrepresentable: 'any' } }),
    transformObject: createJsonSchemaTransformObject({}),
  });
  app.get(`${base}/openapi.json`, { schema: { hide: true }, config: { scope: null } }, () => app.swagger());
  await app.register(async docs => {
    openToAll(docs);
    await docs.register(swaggerUi, {
      routePrefix: `${base}/docs`,
      uiConfig: { persistAuthorization: true, displayRequestDuration: true },
      theme: { css: [{ filename: 'service.css', content: '.swagger-ui .topbar { display: none; }' }] },
    });
  });
}

const introduction = `Brochures of property listings as PDF, and the synchronisations between a real-estate company's systems.

Work that takes time is a **job**: the request is checked and enqueued, answered with 202 and \`Location\`. There are
four ways to learn how it goes: ask there again after \`Retry-After\`, which tells when such a job has usually ended;
send \`Prefer: wait=30\` to hold the answer; listen to the job's event stream, \`/jobs/{id}/events\`; or name a
\`callback\` in the request.

A **callback** is the ended or held job (\`state\`: succeeded, failed, cancelled, held), POSTed as JSON of less than 20 kB to your
\`callback.url\` and signed as [Standard Webhooks](https://www.standardwebhooks.com) describe: the headers
\`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, with the secret of \`GET /jobs/callback-secret\`.
Answer any 2xx within 15 seconds; anything else is tried again, ten times within some three days, under the same
\`webhook-id\`. 410 ends the tries. Redirects are not followed, and no private address is called.

A synchronisation whose plan looks like a fault, such as the deletion of half of everything, changes nothing and is
**held**: its \`result\` is what it would come to, \`/jobs/{id}/plan\` has all of it. \`POST /jobs/{id}/release\` lets it
go on with exactly that plan, \`DELETE /jobs/{id}\` drops it, and a later run that succeeds supersedes it.

A request that creates something or starts a job takes an \`Idempotency-Key\`, so that it can be sent again without
harm. \`validateOnly: true\` in the body of a request for a job has it checked, and makes no job. A result is kept until
the job's \`resultExpiresAt\`; \`POST /jobs/{id}/result-link\` gives a link to it that opens without a token.

How many requests a client has left is told with every answer, in \`RateLimit\` and \`RateLimit-Policy\`. Past that, or
past the jobs it may have waiting, it is answered with 429 and \`Retry-After\`. Errors are problem documents (RFC 9457).`;

/** What operations that do not take JSON take. */
const formTypes = { oauth: 'application/x-www-form-urlencoded', file: 'multipart/form-data' } as const;

/** The part of the document that one operation fills. */
export function operationSchema(operation: LoadedOperation): FastifySchema {
  const { params, query, body } = operation.request;
  return {
    summary: operation.summary,
    operationId: operation.id,
    tags: [operation.group],
    security: securityOf(operation.scope),
    ...(operation.style && { consumes: [formTypes[operation.style]] }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...headerSchema(operation),
    ...(body && { body }),
    response: Object.fromEntries([
      ...Object.entries(operation.answers).map(([status, answer]) => [status, answerSchema(answer)]),
      ['default', faultSchema(operation)],
    ]),
  };
}

/** Headers that are read besides those of HTTP itself. */
function headerSchema({ idempotent, startsJob }: LoadedOperation): FastifySchema {
  const headers = {
    ...(idempotent && { 'Idempotency-Key': idempotent === 'secret' ? SecretKey : IdempotencyKey }),
    ...(startsJob !== undefined && { Prefer }),
  };
  return Object.keys(headers).length === 0 ? {} : { headers: z.object(headers) };
}

const Key = z.string().min(1).max(255).optional();
const IdempotencyKey = Key.describe(
  'A key of the client’s own, such as a UUID; with quotes or without. The same key and request within 24 hours give ' +
    'the first answer again, marked `Idempotent-Replayed: true`; a request that started a job, the same job as it is ' +
    'then. Another request under the key: 422. While the first is being worked on: 409 with `Retry-After`. After a ' +
    'failure the key is free again.',
);
const SecretKey = Key.describe(
  'A key of the client’s own, such as a UUID; with quotes or without. The answer holds a secret and is never kept: ' +
    'the same key and request within 24 hours do nothing a second time and are answered with 409.',
);
const Prefer = z
  .string()
  .optional()
  .describe(
    'RFC 7240: `wait=N` holds the answer up to N seconds; `respond-async` does not hold it, whatever `Accept` asks ' +
      'for; `handling=strict` refuses preferences that cannot be honoured. `Preference-Applied` tells what was done.',
  );

function securityOf(scope: string | null): Record<string, string[]>[] {
  if (scope === null) return [];
  return [{ oauth: scope === anyScope ? [] : [scope] }];
}

function answerSchema(answer: AnswerDescription): unknown {
  const bytes = z.string().meta({ format: 'binary' });
  const content: Record<string, { schema: z.ZodType }> = {};
  if (answer.schema || answer.contentType) {
    content[answer.contentType ?? 'application/json'] = { schema: answer.schema ?? bytes };
  }
  if (answer.orContentType) content[answer.orContentType] = { schema: bytes };
  if (Object.keys(content).length === 0) return z.null().describe(answer.description);
  return { description: answer.description, content };
}

const faultSchema = (operation: Operation): unknown =>
  operation.style === 'oauth'
    ? {
        description: 'An error of RFC 6749 section 5.2.',
        content: { 'application/json': { schema: OauthFault } },
      }
    : {
        description: 'A problem document.',
        content: { 'application/problem+json': { schema: ProblemDocument } },
      };
